// Waits that SIGINT, SIGTERM or SIGHUP ends, while it exists. Make it before any thread is started:
// threads inherit the blocked signals. Used from one thread, except where it says otherwise.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>

#include "consumer/worker/in_place/stop_signals.h"

namespace penstock {

class StoppableWait {
 public:
  // `on_stop` is called on a thread of its own.
  explicit StoppableWait(std::function<void()> on_stop = {});

  // False: stopped.
  [[nodiscard]] bool wait(std::chrono::milliseconds at_most);
  // May be called from any thread.
  [[nodiscard]] bool stopped();

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopped_ = false;
  StopSignals signals_;  // the first to be destroyed, because it calls what uses the others
};

}  // namespace penstock
