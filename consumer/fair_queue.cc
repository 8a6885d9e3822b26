#include "consumer/fair_queue.h"

#include <algorithm>

#include "topics/planted.h"

namespace penstock {

void FairQueue::activate(FairTag& flow) {
  if (flow.ready) return;
  if (flow.tagged) {
    flow.tag = std::max(flow.tag, clock_->now);
  } else {
    flow.tag = planted(Bug::kNewcomersFirst) ? 0 : clock_->now + kScale / flow.weight;
    flow.tagged = true;
  }
  flow.arrival = ++clock_->arrivals;
  flow.ready = true;
  ready_.insert(&flow);
  link_newest(flow);
}

void FairQueue::remove(FairTag& flow) {
  if (!flow.ready) return;
  ready_.erase(&flow);
  unlink(flow);
  flow.ready = false;
}

FairTag* FairQueue::pick() {
  if (ready_.empty()) return nullptr;
  const bool aged = ++clock_->picks % kAgingEvery == 0 && !planted(Bug::kNewcomersFirst);
  FairTag* const flow = aged ? oldest_ : *ready_.begin();
  take(*flow);
  return flow;
}

void FairQueue::take(FairTag& flow, std::int64_t floor) {
  remove(flow);
  flow.tag = std::max(flow.tag, floor);
  clock_->now = std::max(clock_->now, flow.tag);
  if (!planted(Bug::kUnfair)) flow.tag += kScale / flow.weight;
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
