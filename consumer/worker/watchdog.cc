#include "consumer/worker/watchdog.h"

#include <condition_variable>
#include <mutex>

#include "consumer/worker/clock.h"

namespace penstock {

Watchdog::Watchdog(std::vector<LeaseWatch*> leases, std::function<std::size_t()> abandoned,
                   std::function<void()> exit)
    : leases_(std::move(leases)),
      abandoned_(std::move(abandoned)),
      exit_(std::move(exit)),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

void Watchdog::run(const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any tick;
  bool killed = false;
  Instant killed_at{};
  while (!stop.stop_requested()) {
    const Instant now = Clock::boot();
    for (LeaseWatch* const leases : leases_) {
      if (!leases->check(now)) continue;
      killed = true;
      killed_at = now;
    }
    if (killed && abandoned_() == 0) killed = false;
    if (killed && now - killed_at >= kMercy) exit_();
    std::unique_lock lock(mutex);
    tick.wait_for(lock, stop, kWatchInterval, [] { return false; });
  }
}

}  // namespace penstock
