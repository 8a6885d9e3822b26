// A LogSession in virtual time. What has arrived stays in an inbox until poll() passes it on.
// wait() does nothing (or advances virtual time, see ClusterOptions::wait_passes_time): on_ready
// notifies the driver that there is something to poll or that wake() was called, and the driver
// lets the worker run.
//
// When its host crashes, a session ends: from then on every call does nothing, and only its
// destruction is left. Belongs to the simulator's thread.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "topics/log.h"
#include "topics/simulated/brokers/brokers.h"
#include "topics/simulated/network/host.h"
#include "topics/simulated/network/link.h"
#include "topics/simulated/session/admin_requests.h"
#include "topics/simulated/session/fetcher.h"
#include "topics/simulated/session/inbox.h"
#include "topics/simulated/session/member.h"
#include "topics/simulated/session/sender.h"
#include "topics/simulated/world/world.h"

namespace penstock {

class SimulatedSession final : public LogSession, private HostedSession {
 public:
  using OnReady = std::function<void(SimulatedSession&)>;

  // `on_ready` is called when there is something to poll, once until the next poll, and at every
  // wake(). It is always called by the timeline, at the same instant, so it may poll. May be empty.
  SimulatedSession(simulated::World& world, simulated::Brokers& brokers, SimulatedHost& host,
                   const SessionOptions& options, OnReady on_ready);
  ~SimulatedSession() override;

  TopicId topic(std::string_view name) override;
  TopicId second_topic(std::string_view name) override;
  void join(TopicId topic, std::string_view group) override;
  void leave() override;
  void finish_revoke(PartitionId partition) override;
  void check_membership(PartitionId partition) override;
  void commit_offset(PartitionId partition, Offset next) override;
  void group_offset(PartitionId partition) override;
  void group_peers() override;
  void read(TopicPartition from, Offset position) override;
  void stop_reading(TopicPartition from) override;
  void bounds(TopicPartition of) override;
  bool append(Lane lane, TopicPartition to, const NewRecord& record, Ticket ticket) override;
  void renew(Lane lane) override;
  void delete_records(TopicPartition of, Offset before) override;
  bool poll(LogListener& listener) override;
  void wait(std::chrono::nanoseconds at_most) override;
  void wake() override;

 private:
  [[nodiscard]] TopicId handle(std::string_view name, bool second);
  // -- called by the host
  void connection(bool connected) override;
  void end() override;

  // Null if there is none.
  simulated::Partition* find(TopicPartition of);
  // Reports that there is none.
  void no_such(TopicPartition of);
  [[nodiscard]] std::string name_of(TopicPartition of) const;
  [[nodiscard]] simulated::Sender& sender(Lane lane) {
    return senders_[static_cast<std::size_t>(lane)];
  }

  simulated::Link link_;
  simulated::Brokers* brokers_;
  OnReady on_ready_;
  bool ended_ = false, connected_ = true;
  struct Named {
    std::string name;
    bool second;
  };
  std::vector<Named> topics_;
  std::map<TopicPartition, simulated::Partition*> known_;
  simulated::Inbox inbox_;
  std::array<simulated::Sender, 2> senders_;
  simulated::Fetcher fetcher_;
  simulated::Member member_;
  simulated::AdminRequests requests_;
  std::vector<LogRecord> scratch_;
};

}  // namespace penstock
