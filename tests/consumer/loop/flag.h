// A flag that one thread sets and another waits for, at most a minute.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace penstock {

class Flag {
 public:
  // Tells under the lock: who waits may destroy the flag as soon as it has it.
  void set() {
    const std::lock_guard lock(mutex_);
    is_set_ = true;
    changed_.notify_all();
  }
  bool wait() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::minutes(1), [&] { return is_set_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_set_ = false;
};

}  // namespace penstock
