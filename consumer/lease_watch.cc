#include "consumer/lease_watch.h"

#include <utility>

#include "topics/planted.h"

namespace penstock {

void LeaseWatch::renew(PartitionId partition, Instant until) {
  const std::lock_guard lock(mutex_);
  tenures_[partition].until = until;
}

void LeaseWatch::started(const AttemptKey& key, Executor* executor) {
  const std::lock_guard lock(mutex_);
  tenures_[key.partition].running.insert({key, executor});
}

void LeaseWatch::ended(const AttemptKey& key, Executor* executor) {
  const std::lock_guard lock(mutex_);
  tenures_[key.partition].running.erase({key, executor});
}

void LeaseWatch::kill(Tenure& tenure) {
  for (const Running& running : tenure.running) {
    running.executor->kill(running.key);
    killed_.push_back(running.key);
  }
  tenure.running.clear();
}

bool LeaseWatch::check(Instant now) {
  const std::lock_guard lock(mutex_);
  bool any = false;
  for (auto& [partition, tenure] : tenures_) {
    if (now < tenure.until || tenure.running.empty() || planted(Bug::kNeverStopped)) continue;
    kill(tenure);
    any = true;
  }
  return any;
}

void LeaseWatch::kill_all(PartitionId partition) {
  const std::lock_guard lock(mutex_);
  kill(tenures_[partition]);
}

std::vector<AttemptKey> LeaseWatch::take_killed() {
  const std::lock_guard lock(mutex_);
  return std::exchange(killed_, {});
}

}  // namespace penstock
