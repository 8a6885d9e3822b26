#include "api/connections.h"

#include <utility>

namespace penstock {

Connections::Connections(std::size_t threads, std::size_t max_waiting) : max_waiting_(max_waiting) {
  for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { run(); });
}

void Connections::add(std::function<void()> connection) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return waiting_.size() < max_waiting_; });
  waiting_.push_back(std::move(connection));
  changed_.notify_all();
}

void Connections::finish() {
  {
    const std::lock_guard lock(mutex_);
    finishing_ = true;
    changed_.notify_all();
  }
  threads_.clear();
}

void Connections::run() {
  for (;;) {
    std::function<void()> connection;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return finishing_ || !waiting_.empty(); });
      if (waiting_.empty()) return;
      connection = std::move(waiting_.front());
      waiting_.pop_front();
      changed_.notify_all();
    }
    connection();
  }
}

}  // namespace penstock
