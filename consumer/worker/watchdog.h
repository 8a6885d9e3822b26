// Ends attempts whose lease is over, on a thread that does nothing else. This works even if the
// loop is stuck, and after the whole process was stopped for a while (SIGSTOP, a frozen machine).
// It checks every kWatchInterval by CLOCK_BOOTTIME, which continues while the machine sleeps. Made
// and destroyed by one thread.
#pragma once

#include <chrono>
#include <functional>
#include <thread>
#include <vector>

#include "consumer/loop/tenure/lease_watch.h"

namespace penstock {

class Watchdog {
 public:
  static constexpr std::chrono::milliseconds kWatchInterval{10};
  // Once the code of any attempt runs past its lease, all such code has this long to end before the
  // process exits.
  static constexpr std::chrono::milliseconds kMercy{80};

  // `exit` must end the process.
  Watchdog(std::vector<LeaseWatch*> leases, std::function<void()> exit);

 private:
  void run(const std::stop_token& stop);

  std::vector<LeaseWatch*> leases_;
  std::function<void()> exit_;
  std::jthread thread_;
};

}  // namespace penstock
