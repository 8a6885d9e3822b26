// Membership of the consumer group and nothing else: this client never fetches a record. librdkafka
// is given an empty assignment; this class remembers which partitions the group has assigned.
// docs/decisions/membership-without-fetching.md gives the reasons.
//
// What always holds: a partition is held from on_assigned until finish_revoke or on_lost. A
// revocation is acknowledged to the group once finish_revoke has been called for each of its
// partitions. A membership check is answered exactly once. Belongs to one thread.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "topics/kafka/client/client.h"

namespace penstock::kafka {

class GroupMember {
 public:
  [[nodiscard]] static Result<std::unique_ptr<GroupMember>> join(const Properties& properties,
                                                                 const SessionOptions& options,
                                                                 const std::string& topic,
                                                                 std::string_view group,
                                                                 const Wakeup& wakeup);

  // Must be called often, even if nothing has arrived: polling keeps the member in its group.
  bool poll(LogListener& listener);
  void finish_revoke(PartitionId partition);
  void check(PartitionId partition);
  void commit(PartitionId partition, Offset next);
  // What the group has committed. Answered by on_group_offset. False: the member has left.
  [[nodiscard]] bool ask_offset(PartitionId partition);
  // Answered by on_group_peers, unless the group cannot tell.
  void ask_peers();
  // Whether an answer since the last call said that the group's topic does not exist. librdkafka
  // keeps asking for the topic.
  [[nodiscard]] bool take_suspicion() { return std::exchange(suspects_topic_, false); }
  [[nodiscard]] const std::string& topic() const { return topic_; }
  // How long poll() may be delayed before this member must send something.
  [[nodiscard]] std::optional<std::chrono::nanoseconds> due_in() const;
  [[nodiscard]] bool has_events() const;

  // Sends the last offsets and returns the client, for burial. Burying it leaves the group.
  [[nodiscard]] std::unique_ptr<Client> release();

 private:
  using Clock = std::chrono::steady_clock;

  GroupMember(std::unique_ptr<Client> client, std::string topic, std::string_view group);

  void on_event(rd_kafka_event_t* event, LogListener& listener);
  void on_rebalance(rd_kafka_event_t* event, LogListener& listener);
  void assign(const std::vector<PartitionId>& partitions, LogListener& listener);
  void revoke(const std::vector<PartitionId>& partitions, LogListener& listener);
  void lose(std::vector<PartitionId> partitions, LogListener& listener);
  void lose_revoking(LogListener& listener);
  void acknowledge_revoke();
  void on_committed(rd_kafka_event_t* event, LogListener& listener);
  void on_error(rd_kafka_event_t* event, LogListener& listener);
  void on_offset(rd_kafka_event_t* event, LogListener& listener);
  void on_peers(rd_kafka_event_t* event, LogListener& listener);
  void ask(PartitionId partition);
  void ask_again();
  void send_offsets();

  std::unique_ptr<Client> client_;
  bool suspects_topic_ = false;
  std::string topic_, group_;
  std::set<PartitionId> held_;
  std::set<PartitionId> revoking_;
  std::map<PartitionId, Offset> committed_;  // the newest offset that is known
  std::set<PartitionId> unsent_;  // partitions whose offset in committed_ has not been sent
  bool commit_in_flight_ = false;
  Clock::time_point last_commit_{};
  std::vector<PartitionId> unanswered_checks_;
  Clock::time_point ask_again_at_{};
  std::vector<PartitionId> not_held_;  // checks that can be answered without the group
};

}  // namespace penstock::kafka
