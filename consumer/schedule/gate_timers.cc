#include "consumer/schedule/gate_timers.h"

namespace penstock {

bool GateTimers::Less::operator()(const Gate* a, const Gate* b) const {
  return a->timer.at != b->timer.at ? a->timer.at < b->timer.at : a->timer.number < b->timer.number;
}

void GateTimers::watch(Gate& gate, Time now) {
  std::optional<Time> at;
  if (gate.waiting() > 0) at = gate.opens_at();
  // There is room for more waiters than the last step could wake.
  if (gate.wakes()) at = now;
  if (gate.timer.number != 0) {
    // With its old number, so that gates of the same time keep their order.
    if (at == gate.timer.at) return;
    gates_.erase(&gate);
    gate.timer = {};
  }
  if (!at) return;
  gate.timer = {*at, ++numbers_};
  gates_.insert(&gate);
}

Gate* GateTimers::take_due(Time now) {
  if (gates_.empty() || (*gates_.begin())->timer.at > now) return nullptr;
  Gate* const gate = *gates_.begin();
  gates_.erase(gates_.begin());
  gate->timer = {};
  return gate;
}

std::optional<Time> GateTimers::next() const {
  if (gates_.empty()) return std::nullopt;
  return (*gates_.begin())->timer.at;
}

}  // namespace penstock
