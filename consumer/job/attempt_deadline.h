// When the time of an attempt has run out: its timeout after it began, extended by each sign of
// life from its handler (a heartbeat, a checkpoint, its progress). The executors count it
// (docs/decisions/timeouts-in-executors.md) by the clock that they wait by. A value.
#pragma once

#include "topics/values/types.h"

namespace penstock {

template <typename TimePoint>
class AttemptDeadline {
 public:
  AttemptDeadline() = default;
  AttemptDeadline(TimePoint now, Duration timeout) : timeout_(timeout), at_(now + timeout) {}

  void alive(TimePoint now) { at_ = now + timeout_; }
  [[nodiscard]] bool is_over(TimePoint now) const { return now >= at_; }
  [[nodiscard]] TimePoint at() const { return at_; }

 private:
  Duration timeout_{0};
  TimePoint at_{};
};

}  // namespace penstock
