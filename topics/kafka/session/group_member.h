// Membership of the consumer group, and nothing else: this client never fetches a record.
// librdkafka is told of an empty assignment; which partitions the group gave is kept here.
//
// What always holds: a partition is held from on_assigned until finish_revoke or on_lost. A
// revocation is acknowledged to the group when finish_revoke has been called for each of its
// partitions. A membership question is answered exactly once. One thread.
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

  // To be called often even when nothing is there: it is what keeps the member in its group.
  bool poll(LogListener& listener);
  void finish_revoke(PartitionId partition);
  void check(PartitionId partition);
  void commit(PartitionId partition, Offset next);
  // The group has this offset: questions ask with it, so that they do not change it.
  void learn_offset(PartitionId partition, Offset next) {
    if (held_.contains(partition)) committed_.try_emplace(partition, next);
  }
  // Whether an answer has called the group's topic unknown since the last call; librdkafka goes on
  // asking.
  [[nodiscard]] bool take_suspicion() { return std::exchange(suspects_topic_, false); }
  [[nodiscard]] const std::string& topic() const { return topic_; }
  // How long poll() may be put off for what this member has yet to send.
  [[nodiscard]] std::optional<std::chrono::nanoseconds> due_in() const;
  [[nodiscard]] bool has_events() const;

  // For burial: sends the last offsets; the group is left when the client is buried.
  [[nodiscard]] std::unique_ptr<Client> release();

 private:
  using Clock = std::chrono::steady_clock;

  GroupMember(std::unique_ptr<Client> client, std::string topic);

  void on_event(rd_kafka_event_t* event, LogListener& listener);
  void on_rebalance(rd_kafka_event_t* event, LogListener& listener);
  void assign(const std::vector<PartitionId>& partitions, LogListener& listener);
  void revoke(const std::vector<PartitionId>& partitions, LogListener& listener);
  void lose(std::vector<PartitionId> partitions, LogListener& listener);
  void lose_revoking(LogListener& listener);
  void acknowledge_revoke();
  void on_committed(rd_kafka_event_t* event, LogListener& listener);
  void on_error(rd_kafka_event_t* event, LogListener& listener);
  void ask(PartitionId partition);
  void ask_again();
  void send_offsets();

  std::unique_ptr<Client> client_;
  bool suspects_topic_ = false;
  std::string topic_;
  std::set<PartitionId> held_;
  std::set<PartitionId> revoking_;
  std::map<PartitionId, Offset> committed_;  // the newest that is known
  std::set<PartitionId> unsent_;             // with a newer value in committed_ than was sent
  bool commit_in_flight_ = false;
  Clock::time_point last_commit_{};
  std::vector<PartitionId> asked_in_vain_;
  Clock::time_point ask_again_at_{};
  std::vector<PartitionId> not_held_;  // questions that can be answered without the group
};

}  // namespace penstock::kafka
