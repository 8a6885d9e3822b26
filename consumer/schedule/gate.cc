#include "consumer/schedule/gate.h"

#include <utility>

#include "topics/values/check.h"

namespace penstock {

Gate::~Gate() {
  PENSTOCK_CHECK(waiting_.empty() && promised_ == 0, "a gate outlives those who wait at it");
}

bool Gate::Less::operator()(const Line* a, const Line* b) const {
  return a->gate.rank < b->gate.rank;
}

bool Gate::admits(const Line& line) const {
  const std::int64_t free = room();
  if (free == kOpen) return true;
  if (line.gate.keeps(this)) return free > 0;
  // Its own promise is among those that are counted.
  if (line.gate.promised_by == this) return free - promised_ + 1 > 0;
  // With another gate's promise it takes even what is promised to others, but for what patient
  // lines keep: if lines respected each other's promises, they could pass them round for ever.
  const bool has_another = line.gate.promised_by || !line.gate.kept.empty();
  return free - (has_another ? kept_ : promised_) > 0;
}

void Gate::keep_for(Line& line) {
  PENSTOCK_CHECK(!line.gate.keeps(this), "a line keeps one promise of a gate");
  line.gate.kept.push_back(this);
  ++promised_;
  ++kept_;
  changed(nullptr);
}

void Gate::park(Line& line, std::int64_t tag) {
  PENSTOCK_CHECK(!line.gate.waits_at && !line.gate.promised_by, "a line waits at one gate");
  line.gate.waits_at = this;
  line.gate.rank = {tag, ++arrivals_};
  waiting_.insert(&line);
  if (!line.gate.kept.empty()) patient_.insert(&line);
  changed(nullptr);
}

Line* Gate::next_waiter() {
  if (!wakes()) return nullptr;
  Line* const line = before_copies(*waiting_.begin());
  waiting_.erase(line);
  patient_.erase(line);
  line->gate.waits_at = nullptr;
  line->gate.promised_by = this;
  ++promised_;
  changed(nullptr);
  return line;
}

// An account's copies come behind its other lines, whichever came here first.
Line* Gate::before_copies(Line* line) const {
  if (!line->copies) return line;
  Line* first = line;
  line->flow->each([&](Line& other) {
    if (other.copies || other.gate.waits_at != this) return;
    if (first->copies || other.gate.rank < first->gate.rank) first = &other;
  });
  return first;
}

std::vector<Gate*> Gate::leave(Line& line) {
  if (Gate* const gate = std::exchange(line.gate.waits_at, nullptr)) {
    gate->waiting_.erase(&line);
    gate->patient_.erase(&line);
    gate->changed(&line);
  }
  std::vector<Gate*> promised = std::exchange(line.gate.kept, {});
  for (Gate* const gate : promised) --gate->kept_;
  if (line.gate.promised_by) promised.push_back(std::exchange(line.gate.promised_by, nullptr));
  for (Gate* const gate : promised) {
    --gate->promised_;
    gate->changed(&line);
  }
  // Scheduler::park_at and leave_gates restore the count where it is to go on.
  line.gate.looks = 0;
  return promised;
}

}  // namespace penstock
