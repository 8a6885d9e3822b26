// The figures of each queue over the last hour, as this process has seen them, in bounded memory:
// one point every kStep, and the rates of the last seconds. A thread of its own takes them.
//
// Thread-safe.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "api/source/source.h"

namespace penstock {

class History {
 public:
  static constexpr std::chrono::seconds kStep{10}, kLook{1};
  static constexpr std::size_t kMaxPoints = 360, kMaxQueues = 256;

  struct Point {
    Time at{};                                  // its end
    std::uint64_t in = 0, out = 0, failed = 0;  // within the step
    std::uint64_t running = 0, jobs = 0;        // at its end
    std::chrono::milliseconds oldest_ready{0};
  };
  // Per second, over the last kStep.
  struct Rates {
    double in = 0, out = 0, failed = 0;
  };

  explicit History(Source& source) : source_(source) {}
  ~History();

  // Begins to look; before, everything is empty.
  void start();
  // What a look has found; to be called in the order of time. A counter that is lower than before
  // has begun anew.
  void add(const std::vector<QueueStatus>& queues, Time now);

  [[nodiscard]] std::vector<Point> points(const std::string& queue) const;  // the oldest first
  [[nodiscard]] Rates rates(const std::string& queue) const;

 private:
  struct Look {
    Time at{};
    std::uint64_t in = 0, out = 0, failed = 0;  // since the process started
  };
  struct Queue {
    std::deque<Look> looks;  // of the last kStep and one before
    Look step_began;
    std::deque<Point> points;
  };

  void run(const std::stop_token& stop);
  static void add(Queue& queue, const QueueStatus& status, Time now);

  Source& source_;
  mutable std::mutex mutex_;
  std::map<std::string, Queue> queues_;
  std::jthread thread_;
};

}  // namespace penstock
