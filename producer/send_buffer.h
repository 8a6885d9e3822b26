// Bounds a producer: counts the unanswered jobs and their bytes. The records themselves are with
// the client. May be used from any thread.
//
// Both counts share one word, because each job changes both, and because two threads keep changing
// them:
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

  // Bounds above the maxima are lowered to the maxima.
  SendBuffer(std::size_t max_messages, std::size_t max_bytes);

  // Reserves room for one job; false if there is none.
  [[nodiscard]] bool reserve(std::size_t bytes);
  void release(std::size_t bytes);
  // Like release(), but only for the thread that gives the answers, which calls it before each of
  // them. It combines many releases into one, because every change of the counts slows the sending
  // threads down. Small buffers are released at once.
  void release_for_answer(std::size_t bytes);
  // Called after a round of answers: releases the rest and wakes the waiting threads. Because
  // wait_until_empty() returns only after this call, every answer has been given by then.
  void end_answers();

  [[nodiscard]] std::size_t messages() const { return messages_of(used_); }
  [[nodiscard]] std::size_t bytes() const { return bytes_of(used_); }

  // These return false after `timeout`.
  [[nodiscard]] bool wait_until_empty(std::chrono::milliseconds timeout);
  [[nodiscard]] bool wait_for_space(std::size_t bytes, std::chrono::milliseconds timeout);

 private:
  // A reservation that fails exceeds the bounds for a moment, so the counters need room above the
  // maxima.
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
  std::uint64_t to_release_ = 0;  // in the format of `used`; only for the answering thread
  std::atomic<int> waiters_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
};

}  // namespace penstock
