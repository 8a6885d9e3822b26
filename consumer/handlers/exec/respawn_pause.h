// When the next process may be started. A process that ends within kEarly of its start without an
// answer is followed by a pause, which doubles with each such process in a row from kFirst to kLast;
// an answer ends the row. A pure value.
#pragma once

#include <chrono>

#include "consumer/handlers/io/poller.h"

namespace penstock {

class RespawnPause {
 public:
  using Clock = Poller::Clock;
  static constexpr std::chrono::milliseconds kFirst{50};
  static constexpr std::chrono::milliseconds kLast{5'000};
  static constexpr std::chrono::milliseconds kEarly{1'000};

  void started(Clock::time_point now) { started_ = now; }
  void failed_to_start(Clock::time_point now) { back_off(now); }
  void answered() { early_deaths_ = 0; }
  // `excused`: it has answered, or was killed on purpose.
  void ended(bool excused, Clock::time_point now);

  [[nodiscard]] bool is_over(Clock::time_point now) const { return now >= until_; }
  [[nodiscard]] Clock::time_point until() const { return until_; }

 private:
  void back_off(Clock::time_point now);

  Clock::time_point started_{};
  Clock::time_point until_{};
  int early_deaths_ = 0;  // in a row
};

}  // namespace penstock
