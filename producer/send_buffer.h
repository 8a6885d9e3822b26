// The bound of a producer: how many jobs, and bytes of them, are unanswered. Counts only; the
// records lie with the client. Every call is safe from any thread.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>

namespace penstock {

class SendBuffer {
 public:
  SendBuffer(std::size_t max_messages, std::size_t max_bytes)
      : max_messages_(max_messages), max_bytes_(max_bytes) {}

  // Takes the place of one job; false when there is none.
  [[nodiscard]] bool reserve(std::size_t bytes);
  void release(std::size_t bytes);
  // Call after a number of releases.
  void notify();

  [[nodiscard]] std::size_t messages() const { return messages_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

  // False after `timeout`.
  [[nodiscard]] bool wait_until_empty(std::chrono::milliseconds timeout);
  [[nodiscard]] bool wait_for_space(std::size_t bytes, std::chrono::milliseconds timeout);

 private:
  [[nodiscard]] bool has_space(std::size_t bytes) const;
  template <typename Condition>
  bool wait(Condition condition, std::chrono::milliseconds timeout);

  const std::size_t max_messages_;
  const std::size_t max_bytes_;
  std::atomic<std::size_t> messages_ = 0;
  std::atomic<std::size_t> bytes_ = 0;
  std::atomic<int> waiters_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
};

}  // namespace penstock
