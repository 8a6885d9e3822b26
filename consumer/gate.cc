#include "consumer/gate.h"

#include "consumer/lines.h"
#include "topics/check.h"
#include "topics/planted.h"

namespace penstock {

Gate::~Gate() {
  PENSTOCK_CHECK(waiting_.empty() && promised_ == 0, "a gate outlives those who wait at it");
}

bool Gate::Less::operator()(const Line* a, const Line* b) const { return a->gate.rank < b->gate.rank; }

bool Gate::admits(const Line& line) const {
  const std::int64_t free = room();
  if (free == kOpen) return true;
  return free - promised_ + (line.gate.promised_by == this ? 1 : 0) > 0;
}

void Gate::park(Line& line, std::int64_t tag) {
  PENSTOCK_CHECK(!line.gate.waits_at && !line.gate.promised_by, "a line waits at one gate");
  line.gate.waits_at = this;
  line.gate.rank = {tag, ++arrivals_};
  waiting_.insert(&line);
}

Line* Gate::next_waiter() {
  if (waiting_.empty() || room() <= promised_) return nullptr;
  Line* const line = *waiting_.begin();
  waiting_.erase(waiting_.begin());
  line->gate.waits_at = nullptr;
  line->gate.promised_by = this;
  ++promised_;
  return line;
}

void Gate::leave(Line& line) {
  if (Gate* const gate = line.gate.waits_at) gate->waiting_.erase(&line);
  line.gate.waits_at = nullptr;
  settle_promise(line);
}

void Gate::settle_promise(Line& line) {
  if (Gate* const gate = line.gate.promised_by) --gate->promised_;
  line.gate.promised_by = nullptr;
}

}  // namespace penstock
