// Threads that answer requests, one at a time per thread, in the order in which the requests were
// added. At most kMaxWaiting requests wait for a thread.
//
// add() may be called from any thread; made and finished by one.
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

  // False: the queue is full, and nothing is done.
  [[nodiscard]] bool add(std::function<void()> answer);
  // Answers the waiting requests, then ends the threads.
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
