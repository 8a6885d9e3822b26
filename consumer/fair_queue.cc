#include "consumer/fair_queue.h"

#include <algorithm>

#include "topics/planted.h"

namespace penstock {

void FairQueue::activate(FairTag& flow) {
  if (flow.ready) return;
  if (flow.tagged) {
    flow.tag = std::max(flow.tag, virtual_time_);
  } else {
    flow.tag = virtual_time_ + kScale / flow.weight;
    flow.tagged = true;
  }
  flow.arrival = ++arrivals_;
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
  FairTag* const flow = ++picks_ % kAgingEvery == 0 ? oldest_ : *ready_.begin();
  remove(*flow);
  virtual_time_ = std::max(virtual_time_, flow->tag);
  if (!planted(Bug::kUnfair)) flow->tag += kScale / flow->weight;
  return flow;
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
