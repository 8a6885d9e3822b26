// SIGTERM and SIGINT as calls: the first asks to stop, the second leaves at once (status 1). Made
// before any other thread, so that all inherit the blocked signals and one thread waits for them.
#pragma once

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

  // What the first signal does; at once when it has come already. Runs on the signals' thread.
  void on_first(std::function<void()> action);

 private:
  void wait(const std::stop_token& stop);

  std::mutex mutex_;
  bool came_ = false;
  std::function<void()> action_;
  std::jthread thread_;
};

}  // namespace penstock
