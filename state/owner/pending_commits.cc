#include "state/owner/pending_commits.h"

#include <algorithm>
#include <utility>

#include "state/rows/digest.h"
#include "topics/values/check.h"

namespace penstock {

void PendingCommits::restored(Offset epoch, std::uint64_t seq, std::uint64_t hash, Instant sent) {
  seq_ = seq;
  hash_ = hash;
  // The claim itself is the last record known to be in the log: the first commit must be the next
  // one.
  last_counted_ = epoch;
  last_sent_ = sent;
}

void PendingCommits::add(std::string record, bool release, Instant now) {
  seq_ += 1;
  // At once, and not only when it counts: the next record names this hash while this one is still
  // in flight.
  hash_ = bytes_hash(record);
  last_sent_ = now;
  pending_.push_back({++number_, seq_, std::move(record), release, now, false, false, {}});
}

void PendingCommits::taken(Instant now) {
  PENSTOCK_CHECK(waits_for_room(), "only a record that waits is taken");
  pending_.back().taken = true;
  // The lease counts from the moment when the record can have reached the log, not from when it was
  // made.
  pending_.back().sent = last_sent_ = now;
}

const PendingRecord* PendingCommits::acknowledged(std::uint64_t number,
                                                  std::optional<Offset> offset) {
  const auto found =
      std::find_if(pending_.begin(), pending_.end(),
                   [&](const PendingRecord& pending) { return pending.number == number; });
  if (found == pending_.end()) return nullptr;
  found->acknowledged = true;
  found->offset = offset;
  return &*found;
}

PendingRecord PendingCommits::count_front(Offset at) {
  PendingRecord front = std::move(pending_.front());
  pending_.pop_front();
  last_counted_ = at;
  return front;
}

}  // namespace penstock
