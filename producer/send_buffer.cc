#include "producer/send_buffer.h"

namespace penstock {

bool SendBuffer::reserve(std::size_t bytes) {
  const auto messages_before = messages_.fetch_add(1);
  const auto bytes_before = bytes_.fetch_add(bytes);
  if (messages_before < max_messages_ && bytes_before + bytes <= max_bytes_) return true;
  release(bytes);
  return false;
}

void SendBuffer::release(std::size_t bytes) {
  bytes_.fetch_sub(bytes);
  messages_.fetch_sub(1);
}

void SendBuffer::notify() {
  // A waiter counts itself before it looks, so either it sees the release or this sees the waiter.
  if (waiters_ == 0) return;
  { const std::lock_guard lock(mutex_); }
  changed_.notify_all();
}

bool SendBuffer::has_space(std::size_t bytes) const {
  return messages_ < max_messages_ && bytes_ + bytes <= max_bytes_;
}

template <typename Condition>
bool SendBuffer::wait(Condition condition, std::chrono::milliseconds timeout) {
  if (condition()) return true;
  std::unique_lock lock(mutex_);
  ++waiters_;
  const bool held = changed_.wait_for(lock, timeout, condition);
  --waiters_;
  return held;
}

bool SendBuffer::wait_until_empty(std::chrono::milliseconds timeout) {
  return wait([this] { return messages_ == 0; }, timeout);
}

bool SendBuffer::wait_for_space(std::size_t bytes, std::chrono::milliseconds timeout) {
  return wait([&] { return has_space(bytes); }, timeout);
}

}  // namespace penstock
