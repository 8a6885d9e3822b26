#include "consumer/schedule/gate.h"

#include <algorithm>
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
  insert(line);
  if (!line.copies) put_copies_behind(line);
  changed(nullptr);
}

void Gate::insert(Line& line) {
  waiting_.insert(&line);
  if (!line.gate.kept.empty()) patient_.insert(&line);
}

// Copies that come later are behind it by their tags (Turns::tag).
void Gate::put_copies_behind(const Line& line) {
  std::vector<Line*> before;
  line.flow->each_of_copies([&](Line& copies) {
    if (copies.gate.waits_at == this && copies.gate.rank < line.gate.rank)
      before.push_back(&copies);
  });
  std::sort(before.begin(), before.end(), Less());
  for (Line* const copies : before) {
    waiting_.erase(copies);
    patient_.erase(copies);
    copies->gate.rank = {line.gate.rank.tag, ++arrivals_};
    insert(*copies);
  }
}

Line* Gate::next_waiter() {
  if (!wakes()) return nullptr;
  Line* const line = *waiting_.begin();
  waiting_.erase(line);
  patient_.erase(line);
  line->gate.waits_at = nullptr;
  line->gate.promised_by = this;
  ++promised_;
  changed(nullptr);
  return line;
}

std::vector<Gate*> Gate::pass_on(Line& from, Line& to) {
  std::vector<Gate*> others = leave(from);
  std::erase(others, this);
  if (has_promised(to)) return others;
  // A line has one promise besides those that it keeps.
  if (to.gate.promised_by) return keep_for(to), others;
  to.gate.promised_by = this;
  ++promised_;
  changed(nullptr);
  return others;
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
