// Ends attempts whose lease is over, on a thread of its own that does nothing else: when the loop
// is stuck, and when the whole process was stopped for a while (SIGSTOP, a frozen machine). It
// looks every kWatchInterval by CLOCK_BOOTTIME, which goes on while the machine sleeps.
#pragma once

#include <chrono>
#include <functional>
#include <thread>
#include <vector>

#include "consumer/loop/lease_watch.h"

namespace penstock {

class Watchdog {
 public:
  static constexpr std::chrono::milliseconds kWatchInterval{10};
  // Once the code of an attempt runs past its lease, it all has this long to end before the process
  // exits.
  static constexpr std::chrono::milliseconds kMercy{80};

  // `exit` ends the process.
  Watchdog(std::vector<LeaseWatch*> leases, std::function<void()> exit);

 private:
  void run(const std::stop_token& stop);

  std::vector<LeaseWatch*> leases_;
  std::function<void()> exit_;
  std::jthread thread_;
};

}  // namespace penstock
