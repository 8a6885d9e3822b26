// A loop with its log session on a thread of its own.
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
  // From any thread: graceful stop; done when stopped().
  void stop(Instant until);
  // Ends the loop's thread at once, with nothing given back: the lease runs out by itself.
  void abandon();
  [[nodiscard]] bool stopped() const { return stopped_.load(); }
  [[nodiscard]] bool cut_off() const { return cut_off_.load(); }
  [[nodiscard]] bool all_run() const { return all_run_.load(); }
  // Loop::trouble(), from any thread.
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
