#include "consumer/store/due_index.h"

#include <iterator>

namespace penstock {

void DueIndex::reset() {
  nearest_.clear();
  // Before every row, so that refill() begins at the first.
  horizon_ = keys::TimeKey{Time::min(), JobSeq{}};
  refill();
}

void DueIndex::added(Time at, JobSeq seq) {
  const keys::TimeKey key{at, seq};
  // Behind the horizon only the rows know; refill() finds it there.
  if (horizon_ && Less{}(*horizon_, key)) return;
  nearest_.insert(key);
  // At twice the window, so that it is cut down only once for many insertions.
  if (nearest_.size() <= 2 * kWindow) return;
  const keys::TimeKey last = *std::next(nearest_.begin(), static_cast<std::ptrdiff_t>(kWindow));
  nearest_.erase(nearest_.upper_bound(last),
                 nearest_.end());  // no iterator into the set survives this
  horizon_ = last;
}

void DueIndex::removed(Time at, JobSeq seq) { nearest_.erase({at, seq}); }

void DueIndex::removed_up_to(const keys::TimeKey& last) {
  nearest_.erase(nearest_.begin(), nearest_.upper_bound(last));
  // load_due() scans rows, and may have come past the horizon.
  if (horizon_ && Less{}(*horizon_, last)) horizon_ = last;
}

std::optional<keys::TimeKey> DueIndex::first_due(Time now) {
  if (nearest_.empty() && horizon_) refill();
  if (nearest_.empty() || nearest_.begin()->at > now) return std::nullopt;
  return *nearest_.begin();
}

std::optional<Time> DueIndex::next() {
  if (nearest_.empty() && horizon_) refill();
  if (nearest_.empty()) return std::nullopt;
  return nearest_.begin()->at;
}

void DueIndex::refill() {
  std::string from(1, kind_);
  const std::string end = keys::after_prefix(from);
  if (horizon_->at != Time::min()) from = keys::due(horizon_->at, horizon_->seq.next());
  // Rows of both kinds have the same keys but for the first byte.
  from[0] = kind_;
  bool all = true;
  view_.scan(from, end, [&](std::string_view key, std::string_view) {
    if (nearest_.size() == kWindow) {
      all = false;
      return false;
    }
    nearest_.insert(keys::parse_time(key));
    return true;
  });
  if (all) {
    horizon_.reset();
  } else {
    horizon_ = *nearest_.rbegin();
  }
}

}  // namespace penstock
