// A session's requests to the brokers other than reading and writing: the bounds and the id of
// partitions' topics, a group's committed offsets, removing records, and whether any broker is
// reachable. Results arrive in the reader's event queue. Belongs to one thread.
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
  // Sends the questions that bounds() has collected, and those about topics that are due. It first
  // asks who leads the partitions, then sends each leader one question for all of its partitions: a
  // dead leader then delays only its own partitions, and a busy broker is not flooded with one
  // request per partition of many workers.
  void send();
  // Compares the topics with what callers were told about them.
  [[nodiscard]] TopicWatch& watch() { return watch_; }
  bool poll(LogListener& listener);
  [[nodiscard]] bool has_events() const { return rd_kafka_queue_length(client_.queue()) > 0; }

 private:
  struct Partition {
    TopicPartition id;
    std::string topic;
    TopicUuid uuid;  // set once the topic has been described
  };
  struct Answers {
    std::map<std::pair<std::string, PartitionId>, Result<Offset>> offsets;
    std::string error;  // of the whole request, unless empty

    [[nodiscard]] Result<Offset> of(const Partition& partition) const;
    [[nodiscard]] bool complete() const;  // every partition has an offset
  };
  struct Topics {
    std::map<std::string, Result<Described>> answers;
    std::string error;

    [[nodiscard]] Result<const Described*> of(const std::string& topic) const;
  };
  // For the partitions of one leader; complete when both answers have arrived.
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
  void on_probed(rd_kafka_event_t* event, LogListener& listener);
  void on_error(rd_kafka_event_t* event, LogListener& listener);
  void set_connected(bool connected, std::string_view detail, LogListener& listener);
  void probe();

  Client& client_;
  TopicWatch watch_;
  std::vector<Partition> unsent_;
  // waiting for the description of their topics
  std::map<std::uintptr_t, std::vector<Partition>> described_;
  std::map<std::uintptr_t, BoundsRequest> bounds_;
  std::map<std::uintptr_t, TopicPartition> deletions_;
  std::uintptr_t last_request_ = 0;
  std::optional<bool> connected_;  // absent until the first answer
  bool probing_ = false;
  std::string last_error_;
};

}  // namespace penstock::kafka
