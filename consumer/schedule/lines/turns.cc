#include "consumer/schedule/lines/turns.h"

#include <algorithm>
#include <utility>

namespace penstock {
namespace {

// Of a share of an account that may have been full, where all compete.
std::int64_t least_tag(const FairTag& share, const Flow& flow) {
  return std::max(share.tag, FairQueue::floor_of(flow.shares->back_at, share.weight));
}

// With nothing in line. While something of it runs it is not idle: its next work may come when that
// ends.
void leave(FairQueue& queue, FairTag& tag, bool runs) {
  runs ? queue.hold(tag) : queue.remove(tag);
}

std::pair<std::int64_t, std::uint64_t> best_rank(const Flow& flow) {
  const FairTag& best = *flow.shares->queue.least();
  return {least_tag(best, flow), best.arrival};
}

}  // namespace

bool Turns::TagLess::operator()(const Flow* a, const Flow* b) const {
  return a->shares->rank < b->shares->rank;
}

bool Turns::AgeLess::operator()(const Flow* a, const Flow* b) const {
  return a->shares->oldest < b->shares->oldest;
}

void Turns::list(Flow& flow) {
  Shares& shares = *flow.shares;
  if (!shares.room || shares.queue.empty()) return;
  shares.listed = true;
  shares.rank = best_rank(flow);
  shares.oldest = shares.queue.oldest()->arrival;
  by_tag_.insert(&flow);
  by_age_.insert(&flow);
}

// Before anything changes that it is listed by.
void Turns::unlist(Flow& flow) {
  if (!flow.shares->listed) return;
  flow.shares->listed = false;
  by_tag_.erase(&flow);
  by_age_.erase(&flow);
}

void Turns::settle(Share& share) {
  const bool ready = share.ready();
  Flow& flow = *share.flow;
  FairQueue& queue = flow.shares->queue;
  // It stays out of the queue, but whether it is busy may have changed.
  if (!ready && !share.fair.ready) return leave(queue, share.fair, share.running > 0);
  if (ready == share.fair.ready) return;
  if (flat()) unlist(flow);
  ready ? queue.activate(share.fair) : leave(queue, share.fair, share.running > 0);
  if (flat()) list(flow);
}

void Turns::settle(Flow& flow, bool room) {
  if (!flat()) {
    const bool ready = flow.shares ? !flow.shares->queue.empty() : flow.ready();
    if (room && ready) {
      flows_.activate(flow.fair);
    } else if (ready) {
      flows_.hold(flow.fair);
    } else {
      leave(flows_, flow.fair, !flow.running.empty());
    }
    return;
  }
  Shares& shares = *flow.shares;
  if (shares.room == room) return;
  unlist(flow);
  shares.room = room;
  // The turns that it could not use while it was full must not become a burst.
  if (room) shares.back_at = clock_.now;
  list(flow);
}

Turns::Turn Turns::pick() {
  if (flat()) return pick_flat();
  FairTag* const tag = flows_.pick();
  if (!tag) return {};
  Flow* const flow = Flow::of(tag);
  return {flow, flow->shares ? Share::of(flow->shares->queue.pick()) : nullptr};
}

Turns::Turn Turns::pick_flat() {
  if (by_tag_.empty()) return {};
  const bool aged = FairQueue::ages(clock_);
  Flow* const flow = aged ? *by_age_.begin() : *by_tag_.begin();
  FairQueue& queue = flow->shares->queue;
  FairTag* const tag = aged ? queue.oldest() : queue.least();
  unlist(*flow);
  aged ? queue.take_by_age(*tag) : queue.take(*tag, least_tag(*tag, *flow));
  list(*flow);
  return {flow, Share::of(tag)};
}

std::int64_t Turns::tag(const Line& line) const {
  if (!flat()) return line.flow->fair.tag;
  return least_tag(line.share->fair, *line.flow);
}

std::size_t Turns::flows_before(const Flow& flow) const {
  if (!flat()) return flows_.before(flow.fair, kMaxCounted);
  std::size_t count = 0;
  for (const Flow* const other : by_tag_) {
    if (other == &flow || count == kMaxCounted) break;
    ++count;
  }
  return count;
}

std::size_t Turns::shares_before(const Share& share) {
  return share.flow->shares->queue.before(share.fair, kMaxCounted);
}

const Flow* Turns::next_flow() const {
  if (flat()) return by_tag_.empty() ? nullptr : *by_tag_.begin();
  return flows_.empty() ? nullptr : Flow::of(flows_.least());
}

}  // namespace penstock
