#include "state/owner/predecessor.h"

#include <algorithm>

namespace penstock {

void Predecessor::claimed(const Held& before, Offset epoch, std::optional<std::uint64_t> nonce,
                          Time at) {
  // The brokers' clocks differ, so the times may go back.
  at_ = std::max(at, before.time.value_or(at));
  // The tenure of a futile claim never ran anything, so the owner before it is the one to wait for.
  if (!is_futile_) {
    displaced(before);
    before_ = before;
  }
  has_committed_ = false;
  // The loop's own last tenure has a nonce of this loop too, but it learned its epoch and may have
  // started attempts.
  const bool has_worked = epoch == last_;
  is_futile_ = nonce && nonce_.is_of_this_loop(*nonce) && !has_worked;
}

void Predecessor::displaced(const Held& owner) {
  if (owner.empty) return;
  if (owner.released) {
    free_at_.reset();
    unread_.reset();
    last_committed_.reset();
    return;
  }
  // Never unknown: what is read begins with the last record of the copy.
  const Displaced as{owner.epoch, owner.time.value_or(at_)};
  if (owner.lease) {
    const FreeAt free_at = as.time + rules_.take_over_wait(*owner.lease);
    free_at_ = std::max(free_at_.value_or(free_at), free_at);
  } else {
    unread_ = as;
  }
  if (has_committed_ || !owner.lease) last_committed_ = as;
}

bool Predecessor::is_last(const Held& now) const {
  const Offset epoch = is_futile_ ? before_.epoch : now.epoch;
  return epoch == last_ && epoch.value >= 0;
}

bool Predecessor::replaced_last() const {
  return before_.epoch == last_ && before_.epoch.value >= 0;
}

std::chrono::nanoseconds Predecessor::wait(const std::optional<LeaseRow>& row) const {
  std::chrono::nanoseconds wait(0);
  const auto wait_for = [&](FreeAt free_at) {
    wait = std::max<std::chrono::nanoseconds>(wait, free_at - at_);
  };
  if (free_at_) wait_for(*free_at_);
  if (unread_) {
    const bool is_told = row && row->epoch == unread_->epoch;
    wait_for(unread_->time + rules_.take_over_wait(is_told ? row->lease : kUsualLease));
  }
  if (last_committed_ && row && row->epoch == last_committed_->epoch) {
    wait_for(last_committed_->time + rules_.take_over_wait(row->lease));
  }
  return wait;
}

}  // namespace penstock
