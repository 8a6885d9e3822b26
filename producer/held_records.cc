#include "producer/held_records.h"

#include <utility>

namespace penstock {

HeldRecords::Held HeldRecords::hold(HeldRecord record) {
  const std::lock_guard lock(mutex_);
  // It may have been opened between the caller's look and the lock.
  if (open_.load(std::memory_order_relaxed)) return Held::kIsOpen;
  records_.push_back(std::move(record));
  return std::exchange(asked_, true) ? Held::kHeld : Held::kHeldFirst;
}

bool HeldRecords::open(const Send& send) {
  // The lock is kept so that no later record of an account overtakes one that is held.
  const std::lock_guard lock(mutex_);
  while (!records_.empty()) {
    // The client's buffer is full. The rest stays held, in order, and later records queue up behind
    // it.
    if (!send(records_.front())) return false;
    records_.pop_front();
  }
  open_.store(true, std::memory_order_release);
  return true;
}

std::deque<HeldRecord> HeldRecords::close() {
  const std::lock_guard lock(mutex_);
  asked_ = false;
  return std::exchange(records_, {});
}

std::deque<HeldRecord> HeldRecords::take_expired(Steady::time_point now) {
  const std::lock_guard lock(mutex_);
  std::deque<HeldRecord> expired;
  // All have the same timeout, so the first one expires first.
  while (!records_.empty() && records_.front().give_up_at <= now) {
    expired.push_back(std::move(records_.front()));
    records_.pop_front();
  }
  return expired;
}

}  // namespace penstock
