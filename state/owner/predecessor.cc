#include "state/owner/predecessor.h"

#include <algorithm>

namespace penstock {

void Predecessor::claimed(const Held& before, Offset epoch, std::optional<std::uint64_t> nonce,
                          Time at) {
  // The tenure of a futile claim never ran anything, so the owner before it is the one to wait for.
  if (!is_futile_) before_ = before;
  at_ = at;
  // The loop's own last tenure has a nonce of this loop too, but it learned its epoch and may have
  // started attempts.
  const bool has_worked = epoch == last_;
  is_futile_ = nonce && nonce_.is_of_this_loop(*nonce) && !has_worked;
}

bool Predecessor::is_last(const Held& now) const {
  const Offset epoch = is_futile_ ? before_.epoch : now.epoch;
  return epoch == last_ && epoch.value >= 0;
}

bool Predecessor::replaced_last() const {
  return before_.epoch == last_ && before_.epoch.value >= 0;
}

std::chrono::nanoseconds Predecessor::wait(const LeaseRules& rules) const {
  using std::chrono::nanoseconds;
  if (before_.empty || before_.released) return nanoseconds(0);
  const nanoseconds need = rules.take_over_wait();
  // Unknown: assume that the record was written just now.
  if (!before_.time) return need;
  // The brokers' clocks differ, so the difference may be negative.
  const nanoseconds passed = at_ - *before_.time;
  return std::max(nanoseconds(0), need - std::max(nanoseconds(0), passed));
}

}  // namespace penstock
