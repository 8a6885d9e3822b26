// Turns SIGTERM, SIGINT and SIGHUP into calls, whichever thread of the process receives them.
//
//   SIGTERM, SIGINT  the first one asks to stop, the second ends the process at once (status 1)
//   SIGHUP           also asks to stop, but never more: a closing terminal sends it more than
//                    once, and systemd sends it right after SIGTERM. Ignored if the process was
//                    started with it ignored (nohup).
//
// While a StopSignals exists, SIGPIPE and SIGXFSZ are ignored, so that a failing write is an error
// instead of ending the process. Made and destroyed by one thread. There may be several at the same
// time; the last one to be destroyed restores the signals as the first one found them.
#pragma once

#include <chrono>
#include <csignal>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>

namespace penstock {

class StopSignals {
 public:
  // Orders within `together` of the first one count as one with it: a worker under a supervisor may
  // get the same order from the supervisor and directly, as systemd sends it to a whole service.
  explicit StopSignals(std::chrono::milliseconds together = {});
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  // Sets the function for the first signal; if that has already arrived, calls it at once. It runs
  // on a thread of its own.
  void on_first(std::function<void()> action);

 private:
  void wait();
  void note(std::uint64_t signals);

  const std::chrono::milliseconds together_;
  sigset_t mask_before_{};
  int pending_ = -1;   // a signalfd
  int arrivals_ = -1;  // an eventfd; stop_signals.cc defines its values
  std::mutex mutex_;
  bool came_ = false;         // any signal has arrived
  std::uint64_t orders_ = 0;  // how many of them were SIGTERM or SIGINT
  std::chrono::steady_clock::time_point first_order_at_;
  std::function<void()> action_;
  std::jthread thread_;
};

}  // namespace penstock
