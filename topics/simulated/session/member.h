// A session's membership of its group. Its heartbeats report the partitions that it has given back,
// and the answers list the partitions that it has; the listener is told about any difference.
// Belongs to the simulator's thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "topics/log.h"
#include "topics/simulated/brokers/group.h"
#include "topics/simulated/network/link.h"
#include "topics/simulated/session/inbox.h"

namespace penstock::simulated {

class Member {
 public:
  Member(const Link& link, std::string instance, std::string client, Inbox& inbox)
      : link_(link), instance_(std::move(instance)), client_(std::move(client)), inbox_(&inbox) {}
  Member(const Member&) = delete;
  Member& operator=(const Member&) = delete;

  void join(Group& group);
  void leave();
  [[nodiscard]] bool joined() const { return group_ != nullptr; }
  void finish_revoke(PartitionId partition);
  void check(PartitionId partition);
  void commit(PartitionId partition, Offset next);
  void ask_offset(PartitionId partition);
  void ask_peers();

 private:
  struct Held {
    std::uint64_t number;
    bool revoking = false;
  };

  void beat();  // now, and again after every interval
  void send();
  void ask(PartitionId partition, std::uint64_t question);
  void ask_offset(PartitionId partition, std::uint64_t question);
  void on_answer(std::uint64_t number, const HeartbeatAnswer& answer);
  void take_back(const HeartbeatAnswer& answer);
  void take_over(const HeartbeatAnswer& answer);

  Link link_;
  std::string instance_, client_;
  Inbox* inbox_;
  Group* group_ = nullptr;
  bool ever_joined_ = false;
  std::uint64_t sent_ = 0, answered_ = 0, questions_ = 0;
  std::map<PartitionId, Held> held_;
  std::map<PartitionId, std::uint64_t> released_;  // until the group knows
  std::map<std::uint64_t, PartitionId> asked_;
};

}  // namespace penstock::simulated
