// The bound of a producer: how many jobs, and bytes of them, are unanswered. Counts only; the
// records lie with the client. Every call is safe from any thread.
//
// Both counts are in one word, as each job changes both and two threads take turns at it:
//   used := messages << kByteBits | bytes
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>

namespace penstock {

class SendBuffer {
 public:
  static constexpr std::size_t kMaxMessages = std::size_t{1} << 23;
  static constexpr std::size_t kMaxBytes = std::size_t{1} << 38;

  // Bounds above those are taken as those.
  SendBuffer(std::size_t max_messages, std::size_t max_bytes);

  // Takes the place of one job; false when there is none.
  [[nodiscard]] bool reserve(std::size_t bytes);
  void release(std::size_t bytes);
  // The same for the one thread that gives answers, called before each: many releases become one,
  // as every change of the counts stalls whoever sends. Small buffers are released at once.
  void release_for_answer(std::size_t bytes);
  // After a round of answers: what is left is released, and who waits is woken. wait_until_empty()
  // returns only after this, so every answer has been given by then.
  void end_answers();

  [[nodiscard]] std::size_t messages() const { return messages_of(used_); }
  [[nodiscard]] std::size_t bytes() const { return bytes_of(used_); }

  // False after `timeout`.
  [[nodiscard]] bool wait_until_empty(std::chrono::milliseconds timeout);
  [[nodiscard]] bool wait_for_space(std::size_t bytes, std::chrono::milliseconds timeout);

 private:
  // A reservation that is taken back goes beyond the bounds for a moment, so there is room above
  // them.
  static constexpr int kByteBits = 40;
  static constexpr std::uint64_t kOneMessage = std::uint64_t{1} << kByteBits;

  static std::size_t messages_of(std::uint64_t used) { return used >> kByteBits; }
  static std::size_t bytes_of(std::uint64_t used) { return used & (kOneMessage - 1); }
  [[nodiscard]] bool fits(std::uint64_t used, std::size_t bytes) const;
  template <typename Condition>
  bool wait(Condition condition, std::chrono::milliseconds timeout);

  static constexpr std::size_t kReleaseTogether = 64;
  static constexpr std::size_t kSmallBuffer = 16 * kReleaseTogether;

  const std::size_t max_messages_;
  const std::size_t max_bytes_;
  std::atomic<std::uint64_t> used_ = 0;
  std::atomic<bool> answering_ = false;
  std::uint64_t to_release_ = 0;  // as `used`; the answering thread's own
  std::atomic<int> waiters_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
};

}  // namespace penstock
