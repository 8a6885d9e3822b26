// DescribeTopics requests that a client has sent and that have not been answered. The client must
// not be destroyed before: librdkafka 2.15 ends the process (by a null pointer) if an answer arrives
// meanwhile.
//
// sent() may be called from any thread, the others from the one that polls the queue.
#pragma once

#include <atomic>

#include "topics/kafka/client/handles.h"

namespace penstock::kafka {

class Describes {
 public:
  // Brokers that take longer to answer are unlikely to answer just while the client is destroyed.
  static constexpr int kMaxWaitMs = 1'000;

  // Before the request is sent: its answer may be taken before the call that sends it returns.
  void sent() { ++under_way_; }
  // An event was taken from the queue of the answers; it may be of any type.
  void took(const rd_kafka_event_t* event);
  // Takes and drops the queue's events until every request is answered, for at most kMaxWaitMs.
  void wait(rd_kafka_queue_t* answers);

 private:
  std::atomic<int> under_way_ = 0;
};

}  // namespace penstock::kafka
