#include "consumer/loop/tenure_rounds.h"

#include <algorithm>

namespace penstock {

void TenureRounds::restore_one(Now now) {
  bool done = false;
  partitions_.each_from(first_to_restore_, [&](PartitionId partition, HeldPartition& held) {
    // A partition that is being left will not work here, so reading its rows would be for nothing.
    if (done || !held.tenure->restoring() || held.tenure->leaving()) return;
    held.tenure->restore_some(now);
    first_to_restore_ = partition + 1;
    done = true;
  });
}

void TenureRounds::step_all(Now now) {
  share_capacity([&](Tenure& tenure, int capacity) { return tenure.step(capacity, now); }, now);
}

void TenureRounds::start_ready(Now now) {
  share_capacity(
      [&](Tenure& tenure, int capacity) { return tenure.attempts().start_ready(capacity, now); },
      now);
}

void TenureRounds::commit_one(bool busy, Now now) {
  commit_waits_ = false;
  bool committed = false;
  partitions_.each_from(first_to_commit_, [&](PartitionId partition, HeldPartition& held) {
    if (commit_waits_ || !held.tenure->commits().is_due(busy, now)) return;
    // A second partition whose commit is due is only noted: it is the first in the next pass.
    commit_waits_ = committed;
    if (commit_waits_) return;
    held.tenure->commits().commit(now);
    committed = true;
    first_to_commit_ = partition + 1;
  });
}

bool TenureRounds::wants_places(Now now) const {
  return std::any_of(partitions_.all().begin(), partitions_.all().end(), [now](const auto& entry) {
    return entry.second.tenure && entry.second.tenure->attempts().has_ready(now);
  });
}

// Every tenure has the same chance of getting the free places and the rest of the pass: begins
// after the last tenure that used any.
template <typename Step>
void TenureRounds::share_capacity(Step step, Now now) {
  // Before the control topic has been read to its end, a paused queue would start jobs.
  const bool may_start = control_.is_read();
  const int running = partitions_.running();
  const int offered =
      may_start ? std::max(0, host_.offer_places(running, options_.concurrency)) : 0;
  int capacity = offered;
  partitions_.each_from(first_to_step_, [&](PartitionId partition, HeldPartition& held) {
    // Every tenure is stepped, even without places, because a step does more than to start
    // attempts.
    const bool was_over = capacity == 0 || budget_.is_spent();
    capacity = step(*held.tenure, capacity);
    if (!was_over && (capacity == 0 || budget_.is_spent())) first_to_step_ = partition + 1;
  });
  if (!may_start) return;
  host_.settle_places(partitions_.running(), offered - capacity,
                      capacity == 0 && wants_places(now));
}

}  // namespace penstock
