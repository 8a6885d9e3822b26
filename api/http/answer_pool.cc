#include "api/http/answer_pool.h"

#include <utility>

namespace penstock {

AnswerPool::AnswerPool(std::size_t threads) {
  for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { run(); });
}

bool AnswerPool::add(std::function<void()> answer) {
  const std::lock_guard lock(mutex_);
  if (waiting_.size() >= kMaxWaiting) return false;
  waiting_.push_back(std::move(answer));
  changed_.notify_one();
  return true;
}

void AnswerPool::finish() {
  {
    const std::lock_guard lock(mutex_);
    finishing_ = true;
    changed_.notify_all();
  }
  // Without the lock: the threads' destructors wait for them, and they need it.
  threads_.clear();
}

void AnswerPool::run() {
  for (;;) {
    std::function<void()> answer;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return finishing_ || !waiting_.empty(); });
      // Only now, because requests that were added before the end are still answered.
      if (waiting_.empty()) return;
      answer = std::move(waiting_.front());
      waiting_.pop_front();
    }
    answer();
  }
}

}  // namespace penstock
