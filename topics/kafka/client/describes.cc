#include "topics/kafka/client/describes.h"

#include <chrono>

namespace penstock::kafka {

void Describes::took(const rd_kafka_event_t* event) {
  if (rd_kafka_event_type(event) == RD_KAFKA_EVENT_DESCRIBETOPICS_RESULT) --under_way_;
}

void Describes::wait(rd_kafka_queue_t* answers) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(kMaxWaitMs);
  while (under_way_ > 0 && std::chrono::steady_clock::now() < until) {
    const EventHandle event(rd_kafka_queue_poll(answers, kMaxWaitMs / 10));
    if (event) took(event.get());
  }
}

}  // namespace penstock::kafka
