#include "topics/simulated/world/timeline.h"

#include <algorithm>
#include <utility>

namespace penstock::simulated {

bool Timeline::later(const Due& a, const Due& b) {
  return a.when != b.when ? a.when > b.when : a.number > b.number;
}

std::uint32_t Timeline::store(std::function<void()> what) {
  if (free_.empty()) {
    slots_.push_back(std::move(what));
    return static_cast<std::uint32_t>(slots_.size() - 1);
  }
  const std::uint32_t slot = free_.back();
  free_.pop_back();
  slots_[slot] = std::move(what);
  return slot;
}

void Timeline::at(Instant when, std::function<void()> what) {
  heap_.push_back({std::max(when, now_), numbers_++, store(std::move(what))});
  std::push_heap(heap_.begin(), heap_.end(), later);
}

bool Timeline::step() {
  if (heap_.empty()) return false;
  std::pop_heap(heap_.begin(), heap_.end(), later);
  const Due due = heap_.back();
  heap_.pop_back();
  now_ = due.when;
  ++steps_;
  // Taken out before the call, in which new functions may reuse the slot or move all slots.
  const auto what = std::exchange(slots_[due.slot], nullptr);
  free_.push_back(due.slot);
  what();
  return true;
}

void Timeline::run_until(Instant end) {
  while (next() <= end && step()) {
  }
  now_ = std::max(now_, end);
}

Instant Timeline::next() const { return heap_.empty() ? Instant::max() : heap_.front().when; }

}  // namespace penstock::simulated
