// SIGTERM, SIGINT and SIGHUP as calls, in whichever thread of the process they arrive.
//
//   SIGTERM, SIGINT  the first asks to stop, the second leaves at once (status 1)
//   SIGHUP           asks to stop as well, and never more: a terminal that closes sends it more
//                    than once, and systemd right behind SIGTERM. Ignored where the process was
//                    started so (nohup).
//
// SIGPIPE and SIGXFSZ are ignored meanwhile: a write that fails is an error where it is made, not
// the end of the process. Made and destroyed by one thread; there may be several at once. The last
// one to go leaves the signals as the first one found them.
#pragma once

#include <csignal>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>

namespace penstock {

class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  // What the first signal does; at once when it has come already. Runs on a thread of its own.
  void on_first(std::function<void()> action);

 private:
  void wait();
  void note(std::uint64_t signals);

  sigset_t mask_before_{};
  int pending_ = -1;   // a signalfd
  int arrivals_ = -1;  // an eventfd: what it counts, stop_signals.cc says
  std::mutex mutex_;
  bool came_ = false;         // any
  std::uint64_t orders_ = 0;  // of them SIGTERM and SIGINT
  std::function<void()> action_;
  std::jthread thread_;
};

}  // namespace penstock
