// What a session's wait() sleeps on: an eventfd that every librdkafka queue of the session writes
// when something arrives in it, and that wake() writes from any thread.
#pragma once

#include <librdkafka/rdkafka.h>

#include <chrono>

namespace penstock::kafka {

class Wakeup {
 public:
  Wakeup();
  ~Wakeup();
  Wakeup(const Wakeup&) = delete;
  Wakeup& operator=(const Wakeup&) = delete;

  void watch(rd_kafka_queue_t* queue) const;
  // To be called before the queue outlives this object.
  static void unwatch(rd_kafka_queue_t* queue);

  void signal() const;  // from any thread
  // Returns when signalled since the last wait, or after `at_most`.
  void wait(std::chrono::nanoseconds at_most) const;

 private:
  int fd_;
};

}  // namespace penstock::kafka
