#include "consumer/worker/clock.h"

#include <ctime>

namespace penstock {
namespace {

std::int64_t read_ns(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

// Unlike CLOCK_MONOTONIC, this clock goes on while the machine sleeps, as do the brokers' clocks,
// by which a successor waits for a lease.
Instant Clock::boot() { return Instant{BootClock::duration{read_ns(CLOCK_BOOTTIME)}}; }

Now Clock::now() {
  const std::int64_t read = read_ns(CLOCK_REALTIME) / 1'000'000;
  std::int64_t latest = latest_ms_.load(std::memory_order_relaxed);
  // A wall clock may be set back, but a loop's time must not go back. All threads share the latest
  // reading.
  while (read > latest &&
         !latest_ms_.compare_exchange_weak(latest, read, std::memory_order_relaxed)) {
  }
  return {time_from_ms(read > latest ? read : latest), boot()};
}

}  // namespace penstock
