// An eventfd on which a session's wait() sleeps. Every librdkafka queue of the session writes to it
// when something arrives; wake() may write to it from any thread.
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
  // Must be called before the queue outlives this object.
  static void unwatch(rd_kafka_queue_t* queue);

  void signal() const;  // may be called from any thread
  // Returns once it has been signalled since the last wait, or after `at_most`.
  void wait(std::chrono::nanoseconds at_most) const;

 private:
  int fd_;
};

}  // namespace penstock::kafka
