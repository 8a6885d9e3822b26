#include "consumer/worker/watchdog.h"

#include <condition_variable>
#include <mutex>

#include "consumer/worker/clock.h"

namespace penstock {

Watchdog::Watchdog(std::vector<LeaseWatch*> leases, std::function<void()> exit)
    : leases_(std::move(leases)),
      exit_(std::move(exit)),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

void Watchdog::run(const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any tick;
  bool was_overdue = false;
  Instant overdue_since{};
  while (!stop.stop_requested()) {
    const Instant now = Clock::boot();
    bool overdue = false;
    for (LeaseWatch* const leases : leases_) overdue = leases->check(now) || overdue;
    // Killed code gets some time to return before the process is ended for it.
    if (overdue && !was_overdue) overdue_since = now;
    was_overdue = overdue;
    // The code of an attempt whose lease is over still runs, and soon the next owner may start an
    // attempt of the same account. Only the end of the process stops the code.
    if (overdue && now - overdue_since >= kMercy) exit_();
    std::unique_lock lock(mutex);
    tick.wait_for(lock, stop, kWatchInterval, [] { return false; });
  }
}

}  // namespace penstock
