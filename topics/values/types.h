// The strong types that the whole program shares. Offsets, times and instants cannot be mixed up:
// doing so does not compile.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>

namespace penstock {

using Duration = std::chrono::milliseconds;

// Wall-clock time in milliseconds since 1970-01-01T00:00:00Z: the time that users see (run_at,
// record timestamps).
using Time = std::chrono::sys_time<Duration>;

// The clock for waiting and for leases: it is never set back and continues while the machine sleeps
// (CLOCK_BOOTTIME). Only a tag: the edges read the clock, and the simulator invents it.
struct BootClock {
  using rep = std::int64_t;
  using period = std::nano;
  using duration = std::chrono::duration<rep, period>;
  using time_point = std::chrono::time_point<BootClock>;
  static constexpr bool is_steady = true;
};
using Instant = BootClock::time_point;

// The time, as passed to the core with every event. `wall` never goes back within one process.
struct Now {
  Time wall;
  Instant boot;
};

// A record's position in its partition, counted from 0.
struct Offset {
  std::int64_t value = 0;

  [[nodiscard]] constexpr Offset next() const { return Offset{value + 1}; }
  friend constexpr auto operator<=>(const Offset&, const Offset&) = default;
};

using PartitionId = std::int32_t;

[[nodiscard]] constexpr Time time_from_ms(std::int64_t ms) { return Time{Duration{ms}}; }
[[nodiscard]] constexpr std::int64_t to_ms(Time time) { return time.time_since_epoch().count(); }

}  // namespace penstock
