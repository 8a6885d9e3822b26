#include "consumer/gate.h"

#include <utility>

#include "consumer/lines.h"
#include "topics/check.h"
#include "topics/planted.h"

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
  if (line.gate.promised_by && line.gate.promised_by != this) return free > 0;
  return free - promised_ + (line.gate.promised_by == this ? 1 : 0) > 0;
}

void Gate::park(Line& line, std::int64_t tag) {
  PENSTOCK_CHECK(!line.gate.waits_at && !line.gate.promised_by, "a line waits at one gate");
  line.gate.waits_at = this;
  line.gate.rank = {tag, ++arrivals_};
  waiting_.insert(&line);
  changed(nullptr);
}

Line* Gate::next_waiter() {
  if (waiting_.empty() || room() <= promised_) return nullptr;
  Line* const line = *waiting_.begin();
  waiting_.erase(waiting_.begin());
  line->gate.waits_at = nullptr;
  line->gate.promised_by = this;
  ++promised_;
  changed(nullptr);
  return line;
}

void Gate::leave(Line& line) {
  if (Gate* const gate = std::exchange(line.gate.waits_at, nullptr)) {
    gate->waiting_.erase(&line);
    gate->changed(&line);
  }
  settle_promise(line);
}

void Gate::settle_promise(Line& line) {
  Gate* const gate = std::exchange(line.gate.promised_by, nullptr);
  if (!gate) return;
  --gate->promised_;
  gate->changed(&line);
}

}  // namespace penstock
