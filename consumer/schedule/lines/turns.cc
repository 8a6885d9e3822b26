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
  // Its flow knows them.
  if (share.copies) return;
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
  const bool live = flow.shares ? !flow.shares->queue.empty() : flow.ready_but_for_copies();
  const bool copies = !live && flow.has_ready_copies();
  if (!flat()) {
    // From one queue to the other.
    if ((live || copies) && copies != flow.among_copies) {
      if (flow.fair.ready) (flow.among_copies ? copies_ : flows_).remove(flow.fair);
      flow.among_copies = copies;
    }
    FairQueue& queue = flow.among_copies ? copies_ : flows_;
    if (room && (live || copies)) {
      queue.activate(flow.fair);
    } else if (live || copies) {
      queue.hold(flow.fair);
    } else {
      leave(queue, flow.fair, !flow.running.empty());
    }
    return;
  }
  // Here the flow's own tag is for its copies alone.
  if (room && copies) {
    copies_.activate(flow.fair);
  } else {
    copies_.remove(flow.fair);
  }
  Shares& shares = *flow.shares;
  if (shares.room == room) return;
  unlist(flow);
  shares.room = room;
  // The turns that it could not use while it was full must not become a burst.
  if (room) shares.back_at = clock_.now;
  list(flow);
}

// Copies come behind everything else, but not never.
bool Turns::is_for_copies() {
  if (copies_.empty() || live() == 0) return !copies_.empty();
  return ++picks_ % FairQueue::kAgingEvery == 0;
}

Turns::Turn Turns::pick(bool copies) {
  if (!copies && live() == 0) return {};
  if (copies && is_for_copies()) {
    Flow* const flow = Flow::of(copies_.pick());
    return {flow, flow->shares ? flow->shares->copies : nullptr};
  }
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
  // As far behind as copies are in the queue.
  constexpr auto kBehind = static_cast<std::int64_t>(FairQueue::kAgingEvery) * FairQueue::kScale;
  // Flat, the flow's own tag is by another clock than those of the account's bulks.
  if (line.copies) return (flat() ? clock_.now : line.flow->fair.tag) + kBehind;
  return flat() ? least_tag(line.share->fair, *line.flow) : line.flow->fair.tag;
}

std::size_t Turns::flows_before(const Flow& flow) const {
  if (flow.among_copies || (flat() && flow.fair.ready)) {
    return std::min(kMaxCounted, live() + copies_.before(flow.fair, kMaxCounted));
  }
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
  if (live() == 0) return copies_.empty() ? nullptr : Flow::of(copies_.least());
  return flat() ? *by_tag_.begin() : Flow::of(flows_.least());
}

}  // namespace penstock
