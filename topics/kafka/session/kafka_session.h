// A LogSession on Kafka: a group member that never fetches, a reader without a group, a producer a
// lane, and the eventfd that wait() sleeps on for all of them. topics/log.h says how it behaves.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "topics/kafka/client/graveyard.h"
#include "topics/kafka/session/group_member.h"
#include "topics/kafka/session/lane_producer.h"
#include "topics/kafka/session/log_requests.h"
#include "topics/kafka/session/partition_reader.h"
#include "topics/log.h"

namespace penstock::kafka {

class KafkaSession final : public LogSession {
 public:
  [[nodiscard]] static Result<std::unique_ptr<LogSession>> open(const Properties& properties,
                                                                const SessionOptions& options);
  ~KafkaSession() override;

  TopicId topic(std::string_view name) override;
  void join(TopicId topic, std::string_view group) override;
  void leave() override;
  void finish_revoke(PartitionId partition) override;
  void check_membership(PartitionId partition) override;
  void commit_offset(PartitionId partition, Offset next) override;
  void group_offset(PartitionId partition) override;
  void read(TopicPartition from, Offset position) override;
  void stop_reading(TopicPartition from) override;
  void bounds(TopicPartition of) override;
  [[nodiscard]] bool append(Lane lane, TopicPartition to, const NewRecord& record,
                            Ticket ticket) override;
  void renew(Lane lane) override;
  void delete_records(TopicPartition of, Offset before) override;
  bool poll(LogListener& listener) override;
  void wait(std::chrono::nanoseconds at_most) override;
  void wake() override;

 private:
  KafkaSession(Properties properties, SessionOptions options);

  [[nodiscard]] LaneProducer& lane(Lane lane) {
    return lane == Lane::kState ? state_lane_ : outbox_lane_;
  }
  [[nodiscard]] const std::string& name_of(TopicId topic) const;
  [[nodiscard]] bool has_anything() const;
  bool report_refusals(LogListener& listener);
  bool answer_unjoined(LogListener& listener);
  bool tell_of_topics(LogListener& listener);

  // In this order: what is destroyed last comes first.
  Wakeup wakeup_;
  Graveyard graveyard_;
  Properties properties_;
  SessionOptions options_;
  std::vector<std::string> topics_;          // a TopicId is the index
  std::vector<std::string> refusals_;        // what on_fatal has yet to be told
  std::vector<PartitionId> asked_unjoined_;  // membership, before there was a group
  std::string group_, group_topic_;          // that were joined
  std::unique_ptr<GroupMember> member_;
  LaneProducer state_lane_;
  LaneProducer outbox_lane_;
  std::unique_ptr<PartitionReader> reader_;
  std::optional<LogRequests> requests_;
};

}  // namespace penstock::kafka
