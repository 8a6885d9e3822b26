// What a session asks of the brokers beside reading and writing: where partitions begin and end,
// and of which topic, what a group has committed, removing records, and whether anybody is there.
// Results come through the reader's event queue. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "topics/kafka/client/client.h"
#include "topics/kafka/session/topic_watch.h"

namespace penstock::kafka {

class LogRequests {
 public:
  // `client` outlives this object.
  explicit LogRequests(Client& client);

  void bounds(TopicPartition of, const std::string& topic);
  void delete_records(TopicPartition of, const std::string& topic, Offset before);
  void group_offset(PartitionId of, const std::string& group, const std::string& topic);
  // What the group was found to have committed, since the last call.
  [[nodiscard]] std::map<PartitionId, Offset> take_group_offsets() {
    return std::exchange(found_group_offsets_, {});
  }
  // Asks for what bounds() has gathered, and for the topics that are due. First whose the
  // partitions are, then each leader for all of its own: a leader that is dead keeps only those
  // waiting, and a request each for every partition of many workers is more than a busy broker
  // answers.
  void send();
  // What a caller was told of a topic, or it has to be asked for.
  [[nodiscard]] TopicWatch& watch() { return watch_; }
  bool poll(LogListener& listener);
  [[nodiscard]] bool has_events() const { return rd_kafka_queue_length(client_.queue()) > 0; }

 private:
  struct Partition {
    TopicPartition id;
    std::string topic;
    TopicUuid uuid;  // once it has been described
  };
  struct Answers {
    std::map<std::pair<std::string, PartitionId>, Result<Offset>> offsets;
    std::string error;  // of the whole request, when not empty

    [[nodiscard]] Result<Offset> of(const Partition& partition) const;
    [[nodiscard]] bool complete() const;  // no partition without its offset
  };
  struct Topics {
    std::map<std::string, Result<Described>> answers;
    std::string error;

    [[nodiscard]] Result<const Described*> of(const std::string& topic) const;
  };
  // Of one leader's partitions; answered when both answers are there.
  struct BoundsRequest {
    std::vector<Partition> partitions;
    std::optional<Answers> starts, ends;
  };

  void list_offsets(std::vector<Partition> of);
  void list_offsets(const std::vector<Partition>& of, rd_kafka_OffsetSpec_t which,
                    std::uintptr_t opaque);
  void on_offsets(rd_kafka_event_t* event, LogListener& listener);
  void on_topics(rd_kafka_event_t* event, LogListener& listener);
  [[nodiscard]] Topics topics_of(rd_kafka_event_t* event);
  [[nodiscard]] static Answers answers_of(rd_kafka_event_t* event);
  void answer(std::uintptr_t request, LogListener& listener);
  void report_bounds(const BoundsRequest& request, const Partition& partition,
                     LogListener& listener);
  void report_failure(const Partition& partition, const std::string& why, LogListener& listener);
  void on_deleted(rd_kafka_event_t* event, LogListener& listener);
  void on_group_offset(rd_kafka_event_t* event, LogListener& listener);
  void on_probed(rd_kafka_event_t* event, LogListener& listener);
  void on_error(rd_kafka_event_t* event, LogListener& listener);
  void set_connected(bool connected, std::string_view detail, LogListener& listener);
  void probe();

  Client& client_;
  TopicWatch watch_;
  std::vector<Partition> unsent_;
  std::map<std::uintptr_t, std::vector<Partition>> described_;  // asked for their topics
  std::map<std::uintptr_t, BoundsRequest> bounds_;
  std::map<std::uintptr_t, TopicPartition> deletions_;
  std::map<std::uintptr_t, PartitionId> group_offsets_;
  std::map<PartitionId, Offset> found_group_offsets_;
  std::uintptr_t last_request_ = 0;
  std::optional<bool> connected_;  // absent until the first answer
  bool probing_ = false;
  std::string last_error_;
};

}  // namespace penstock::kafka
