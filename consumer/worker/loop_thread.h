// A loop and its log session on a thread of their own. Made and destroyed by one thread; stop(),
// stopped(), cut_off(), all_run() and trouble() may be called from any.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "consumer/loop/loop.h"
#include "consumer/worker/clock.h"

namespace penstock {

class LoopThread {
 public:
  LoopThread(LoopOptions options, std::unique_ptr<LogSession> session, LoopHost& host,
             Clock& clock);
  ~LoopThread();
  LoopThread(const LoopThread&) = delete;
  LoopThread& operator=(const LoopThread&) = delete;

  void start();
  // Begins a graceful stop, which has ended when stopped() is true.
  void stop(Instant until);
  // Ends the loop's thread at once without releasing anything; the leases run out.
  void abandon();
  [[nodiscard]] bool stopped() const { return stopped_.load(); }
  [[nodiscard]] bool cut_off() const { return cut_off_.load(); }
  [[nodiscard]] bool all_run() const { return all_run_.load(); }
  // Loop::trouble().
  [[nodiscard]] std::string trouble() const;
  [[nodiscard]] Loop& loop() { return loop_; }

 private:
  void run(const std::stop_token& stop);
  void tell_trouble();

  Clock& clock_;
  std::unique_ptr<LogSession> session_;
  Loop loop_;
  std::atomic<bool> stopped_{false};
  std::atomic<bool> cut_off_{false};
  std::atomic<bool> all_run_{false};
  mutable std::mutex mutex_;
  std::string trouble_;
  std::jthread thread_;
};

}  // namespace penstock
