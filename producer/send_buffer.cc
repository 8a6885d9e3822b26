#include "producer/send_buffer.h"

#include <algorithm>
#include <utility>

namespace penstock {

SendBuffer::SendBuffer(std::size_t max_messages, std::size_t max_bytes)
    : max_messages_(std::min(max_messages, kMaxMessages)),
      max_bytes_(std::min(max_bytes, kMaxBytes)) {}

bool SendBuffer::fits(std::uint64_t used, std::size_t bytes) const {
  return messages_of(used) < max_messages_ && bytes_of(used) + bytes <= max_bytes_;
}

bool SendBuffer::reserve(std::size_t bytes) {
  // Taken first and returned if it does not fit: a send that succeeds costs one atomic operation.
  // One that fails takes room for a moment, in which another may fail because of it.
  if (fits(used_.fetch_add(kOneMessage + bytes), bytes)) return true;
  release(bytes);
  return false;
}

void SendBuffer::release(std::size_t bytes) { used_.fetch_sub(kOneMessage + bytes); }

void SendBuffer::release_for_answer(std::size_t bytes) {
  if (!answering_.load(std::memory_order_relaxed)) answering_ = true;
  to_release_ += kOneMessage + bytes;
  // Senders use the counter all the time, so it is changed once for many answers, unless the buffer
  // is so small that its senders would wait for that.
  if (messages_of(to_release_) < kReleaseTogether && max_messages_ >= kSmallBuffer) return;
  used_.fetch_sub(std::exchange(to_release_, 0));
}

void SendBuffer::end_answers() {
  if (to_release_ != 0) used_.fetch_sub(std::exchange(to_release_, 0));
  if (answering_.load(std::memory_order_relaxed)) answering_ = false;
  // A waiter counts itself before it checks, so either it sees the release or this sees the waiter.
  if (waiters_ == 0) return;
  { const std::lock_guard lock(mutex_); }
  changed_.notify_all();
}

template <typename Condition>
bool SendBuffer::wait(Condition condition, std::chrono::milliseconds timeout) {
  // Without the lock, which a flush of an empty buffer need not take.
  if (condition()) return true;
  std::unique_lock lock(mutex_);
  ++waiters_;
  const bool held = changed_.wait_for(lock, timeout, condition);
  --waiters_;
  return held;
}

bool SendBuffer::wait_until_empty(std::chrono::milliseconds timeout) {
  return wait([this] { return used_ == 0 && !answering_; }, timeout);
}

bool SendBuffer::wait_for_space(std::size_t bytes, std::chrono::milliseconds timeout) {
  return wait([&] { return fits(used_, bytes); }, timeout);
}

}  // namespace penstock
