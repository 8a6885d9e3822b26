// How often something may start: `count` per `period`, evenly spread, with bursts (GCRA, the
// virtual scheduling form of ITU-T I.371). All arithmetic is in whole nanoseconds: T = period /
// count, rounded up, so that a rate is never exceeded. Pure, without a clock; may be used from any
// thread.
//
// What always holds: if starts at a_1 <= a_2 <= ... were taken only when allowed, then for any
// start a_k, at most burst + floor((t - a_k) / T) of them are in [a_k, t].
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "topics/values/result.h"
#include "topics/values/types.h"

namespace penstock {

inline constexpr int kMaxRateCount = 1'000'000;
inline constexpr int kMaxBurst = 1'000'000;

// "100/s", "10/m", "5/h".
struct Rate {
  int count = 1;
  Duration period{1'000};

  friend bool operator==(const Rate&, const Rate&) = default;
};

// The message reads: found "100", expected a rate such as "100/s", "10/m" or "5/h".
[[nodiscard]] Result<Rate> parse_rate(std::string_view text);
[[nodiscard]] std::string rate_text(const Rate& rate);
// The number of starts that the rate allows in 100 ms, but at least 1. This burst lets a scheduler
// reach the rate although it looks at the clock only every few milliseconds.
[[nodiscard]] int default_burst(const Rate& rate);

// What is remembered between starts. It is a time rather than a number of tokens, so it stays
// meaningful when the rate or the burst changes.
struct RateState {
  std::int64_t next_ns = 0;  // the theoretical arrival time of the next start, since 1970

  friend bool operator==(const RateState&, const RateState&) = default;
};

class Gcra {
 public:
  // `count` is 1 to kMaxRateCount, `burst` 1 to kMaxBurst, `period` 1 ms to kMaxPeriod. A share of
  // a rate is a longer period: 1/12 of 5/h is {1, 2.4 h}.
  static constexpr Duration kMaxPeriod = std::chrono::hours{24 * 366};
  Gcra(int count, Duration period, int burst);
  Gcra(const Rate& rate, int burst) : Gcra(rate.count, rate.period, burst) {}

  // When the next start is allowed, rounded up to the millisecond: `now` or later, but at most T
  // later. A state that this rate cannot have produced (because the clock was set back, the rate
  // was raised or the burst lowered) allows one start now, and further ones as if the burst had
  // just been used up.
  [[nodiscard]] Time earliest(const RateState& state, Time now) const;
  // Records a start at `now`. Requires that earliest(state, now) == now.
  void take(RateState& state, Time now) const;

  [[nodiscard]] std::int64_t interval_ns() const { return interval_ns_; }  // T

 private:
  [[nodiscard]] std::int64_t next_ns(const RateState& state, std::int64_t now_ns) const;

  std::int64_t interval_ns_;
  std::int64_t tolerance_ns_;  // (burst - 1) * T
};

}  // namespace penstock
