// Asks Kafka for the end offset of every partition of a topic, asynchronously: DescribeTopics, then
// ListOffsets. A leader that answers it has made its partition ready, which an idempotent
// producer's first batch needs (KAFKA-15591: without it, batches sent right after the topic was
// made can be lost).
//
// ask() may be called from any thread, serve() from the polling one.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "topics/kafka/client/handles.h"
#include "topics/produce_client.h"

namespace penstock::kafka {

class TopicOpener {
 public:
  // `wake` is the queue whose poll ends when an answer is there. Both must outlive this.
  TopicOpener(rd_kafka_t* client, rd_kafka_queue_t* wake);
  ~TopicOpener();
  TopicOpener(const TopicOpener&) = delete;
  TopicOpener& operator=(const TopicOpener&) = delete;

  void ask(TopicId topic, const std::string& name);

  using Answer = std::function<void(TopicId, const Opened&)>;
  void serve(const Answer& answer);

 private:
  // The answer, unless it leads to a further question.
  std::optional<Opened> on_event(rd_kafka_event_t* event);
  std::optional<Opened> on_described(rd_kafka_event_t* event);
  Opened on_offsets(rd_kafka_event_t* event);
  void list_offsets(const char* topic, std::size_t partitions, void* opaque);

  rd_kafka_t* client_;
  QueueHandle answers_;
};

}  // namespace penstock::kafka
