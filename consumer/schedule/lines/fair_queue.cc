#include "consumer/schedule/lines/fair_queue.h"

#include <algorithm>

namespace penstock {

void FairQueue::activate(FairTag& flow) {
  if (flow.ready) return;
  if (flow.tagged) {
    const std::int64_t now = clock_->now;
    // A flow that was busy keeps its tag as far as its weight entitles it to; time in which it was
    // idle gives it nothing.
    flow.tag = std::max(flow.tag, flow.busy ? floor_of(now, flow.weight) : now);
  } else {
    // One turn later than the virtual time, or an endless stream of new flows would starve the
    // others.
    flow.tag = clock_->now + kScale / flow.weight;
    flow.tagged = true;
  }
  flow.busy = false;
  flow.arrival = ++clock_->arrivals;
  flow.ready = true;
  ready_.insert(&flow);
  link_newest(flow);
}

void FairQueue::remove(FairTag& flow) {
  flow.busy = false;
  if (!flow.ready) return;
  ready_.erase(&flow);
  unlink(flow);
  flow.ready = false;
}

void FairQueue::hold(FairTag& flow) {
  remove(flow);
  flow.busy = true;
}

bool FairQueue::ages(FairClock& clock) { return ++clock.picks % kAgingEvery == 0; }

FairTag* FairQueue::pick() {
  if (ready_.empty()) return nullptr;
  const bool aged = ages(*clock_);
  FairTag* const flow = aged ? oldest_ : least();
  aged ? take_by_age(*flow) : take(*flow, flow->tag);
  return flow;
}

void FairQueue::take(FairTag& flow, std::int64_t floor) {
  remove(flow);
  flow.tag = std::max(flow.tag, floor);
  // Never back: a flow that was busy may have a tag before the virtual time.
  clock_->now = std::max(clock_->now, flow.tag);
  flow.tag += kScale / flow.weight;
  flow.busy = true;
}

void FairQueue::take_by_age(FairTag& flow) {
  remove(flow);
  // A turn by age is an advance on the flow's next one. The virtual time stays, because the flow
  // with the least tag has not had its turn.
  const std::int64_t own = kScale / flow.weight;
  flow.tag = std::max(flow.tag, std::min(flow.tag + own, clock_->now + 2 * own));
  flow.busy = true;
}

std::size_t FairQueue::before(const FairTag& flow, std::size_t most) const {
  std::size_t count = 0;
  for (const FairTag* const other : ready_) {
    if (other == &flow || count == most || (!flow.ready && other->tag > flow.tag)) break;
    ++count;
  }
  return count;
}

void FairQueue::link_newest(FairTag& flow) {
  flow.older = newest_;
  flow.newer = nullptr;
  (newest_ ? newest_->newer : oldest_) = &flow;
  newest_ = &flow;
}

void FairQueue::unlink(FairTag& flow) {
  (flow.older ? flow.older->newer : oldest_) = flow.newer;
  (flow.newer ? flow.newer->older : newest_) = flow.older;
  flow.older = flow.newer = nullptr;
}

}  // namespace penstock
