// Asks Kafka for the end offset of every partition of a topic, asynchronously: first
// DescribeTopics, then ListOffsets. A leader that has answered has initialized its partition. An
// idempotent producer's first batch needs that: without it, batches that are sent right after the
// topic was created can be lost (KAFKA-15591).
//
// ask() may be called from any thread, serve() only from the polling one.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "topics/kafka/client/describes.h"
#include "topics/kafka/client/handles.h"
#include "topics/produce_client.h"

namespace penstock::kafka {

class TopicOpener {
 public:
  // `wake` is a queue whose poll ends when an answer arrives. Both must outlive this object.
  TopicOpener(rd_kafka_t* client, rd_kafka_queue_t* wake);
  // Waits for the answers to DescribeTopics (client/describes.h).
  ~TopicOpener();
  TopicOpener(const TopicOpener&) = delete;
  TopicOpener& operator=(const TopicOpener&) = delete;

  void ask(TopicId topic, const std::string& name);

  using Answer = std::function<void(TopicId, const Opened&)>;
  void serve(const Answer& answer);

 private:
  // The answer, unless it leads to another request.
  std::optional<Opened> on_event(rd_kafka_event_t* event);
  std::optional<Opened> on_described(rd_kafka_event_t* event);
  Opened on_offsets(rd_kafka_event_t* event);
  void list_offsets(const char* topic, std::size_t partitions, void* opaque);

  rd_kafka_t* client_;
  QueueHandle answers_;
  Describes describes_;
};

}  // namespace penstock::kafka
