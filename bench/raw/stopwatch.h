// Seconds on the monotonic clock. A value.
#pragma once

#include <chrono>

namespace penstock {

using SteadyClock = std::chrono::steady_clock;

class Stopwatch {
 public:
  explicit Stopwatch(SteadyClock::time_point begin = SteadyClock::now()) : begin_(begin) {}
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(SteadyClock::now() - begin_).count();
  }
  // The rate of something that has happened `count` times since the start.
  [[nodiscard]] double per_second(std::size_t count) const {
    return static_cast<double>(count) / seconds();
  }

 private:
  SteadyClock::time_point begin_;
};

}  // namespace penstock
