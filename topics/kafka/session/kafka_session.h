// A LogSession on Kafka. It consists of a group member that never fetches, a reader that is in no
// group, one producer per lane, and an eventfd on which wait() sleeps for all of them. LogSession
// documents its behaviour and its threads.
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
  [[nodiscard]] TopicId handle(std::string_view name, bool second);
  [[nodiscard]] bool is_second(TopicId topic) const;
  [[nodiscard]] Status make_second_reader();
  [[nodiscard]] bool has_anything() const;
  bool report_refusals(LogListener& listener);
  bool answer_unjoined(LogListener& listener);
  bool tell_of_topics(LogListener& listener);

  // The order matters: members are destroyed in reverse.
  Wakeup wakeup_;
  Graveyard graveyard_;
  Properties properties_;
  SessionOptions options_;
  struct Named {
    std::string name;
    bool second;          // read through second_reader_
    bool needed = false;  // read or looked at through this handle
  };
  [[nodiscard]] bool is_needed(const std::string& topic) const;
  std::vector<Named> topics_;          // index: TopicId
  std::vector<std::string> refusals_;  // not reported through on_fatal yet
  std::vector<std::pair<TopicPartition, std::string>> refused_reads_;  // through second handles
  // Membership checks, and questions for the group's offset, that were asked without a group.
  std::vector<PartitionId> asked_unjoined_, asked_offsets_unjoined_;
  std::unique_ptr<GroupMember> member_;
  LaneProducer state_lane_;
  LaneProducer outbox_lane_;
  std::unique_ptr<PartitionReader> reader_;
  std::unique_ptr<PartitionReader> second_reader_;  // made when it is first needed
  std::optional<LogRequests> requests_;
};

}  // namespace penstock::kafka
