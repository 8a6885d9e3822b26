// Threads that answer requests, one at a time each, in the order in which they were added, and a
// bounded line of requests that wait for a thread.
//
// add() from any thread; made and finished by one.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace penstock {

class AnswerPool {
 public:
  explicit AnswerPool(std::size_t threads);
  ~AnswerPool() { finish(); }

  static constexpr std::size_t kMaxWaiting = 64;

  // False, and nothing is done, when the line is full.
  [[nodiscard]] bool add(std::function<void()> answer);
  // Answers what is in line, and ends the threads.
  void finish();

 private:
  void run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> waiting_;
  bool finishing_ = false;
  std::vector<std::jthread> threads_;
};

}  // namespace penstock
