#include "topics/simulated/network/link.h"

namespace penstock::simulated {
namespace {

using std::chrono::milliseconds;

constexpr Nanos kFastest = milliseconds(1), kUsual = milliseconds(20), kSlow = milliseconds(500);
// the longest that earlier messages on a connection delay one
constexpr Nanos kHoldsBack = milliseconds(500);

}  // namespace

Nanos Link::delay() const {
  Random& random = world_->random();
  const FaultRates& rates = world_->faults().rates();
  if (world_->faulty() && random.chance(rates.very_slow)) {
    world_->faults().count(Fault::kSlow);
    return random.between(kSlow, kSlowest);
  }
  if (random.chance(rates.slow)) return random.between(kUsual, kSlow);
  return random.between(kFastest, kUsual);
}

std::optional<Instant> Link::arrival(Instant cut_until, Care care, Line* line) const {
  Random& random = world_->random();
  FaultPlan& faults = world_->faults();
  const FaultRates& rates = world_->rates();
  const Instant now = world_->now();
  Instant when = now + delay();
  if (line != nullptr) {
    const Instant held = rates.reordered > 0 ? std::min(line->last, now + kHoldsBack) : line->last;
    if (random.chance(rates.reordered)) {
      if (when < line->last) faults.count(Fault::kReordered);
    } else {
      when = line->last = std::max(when, held);
    }
  }
  if (now < cut_until) {
    if (care == Care::kLossy && random.chance(faults.rates().lost_in_cut)) {
      faults.count(Fault::kLostInCut);
      return std::nullopt;
    }
    faults.count(Fault::kHeldInCut);
    return cut_until + random.between(Nanos{0}, kHoldsBack);
  }
  if (care == Care::kLossy && random.chance(rates.lost)) {
    faults.count(Fault::kLostRequest);
    return std::nullopt;
  }
  return when;
}

}  // namespace penstock::simulated
