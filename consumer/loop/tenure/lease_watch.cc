#include "consumer/loop/tenure/lease_watch.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "state/rows/digest.h"

namespace penstock {

void LeaseWatch::renew(PartitionId partition, Instant until, Offset since) {
  const std::lock_guard lock(mutex_);
  Tenure& tenure = tenures_[partition];
  tenure.until = until;
  for (auto& [key, attempt] : tenure.lingering) {
    // Attempts of earlier epochs ran before another worker owned the partition. That worker has
    // waited for their lease only, so no renewal of this one covers them.
    if (key.token.epoch >= since.value) attempt.until = until;
  }
}

bool LeaseWatch::starting(const AttemptKey& key, std::string_view account, Executor* executor) {
  const std::lock_guard lock(mutex_);
  Tenure& tenure = tenures_[key.partition];
  // A check has already found the lease to be over, and only a renewal can change that.
  if (looked_at_ >= tenure.until) {
    killed_.push_back(key);
    return false;
  }
  tenure.running.emplace(key, Running{executor, bytes_hash(account)});
  return true;
}

void LeaseWatch::started(const AttemptKey& key) {
  const std::lock_guard lock(mutex_);
  Tenure& tenure = tenures_[key.partition];
  const auto found = tenure.running.find(key);
  if (found == tenure.running.end()) return;
  found->second.started = true;
  if (!found->second.killed) return;
  found->second.executor->kill(key);  // it may have been killed before its executor had it
  linger(tenure, found);
}

void LeaseWatch::ended(const AttemptKey& key) {
  const std::lock_guard lock(mutex_);
  tenures_[key.partition].running.erase(key);
}

void LeaseWatch::kill(Tenure& tenure) {
  for (auto at = tenure.running.begin(); at != tenure.running.end();) {
    const auto next = std::next(at);
    at->second.executor->kill(at->first);
    // The executor is told by every check, but the loop only once.
    if (!std::exchange(at->second.killed, true)) killed_.push_back(at->first);
    if (at->second.started) linger(tenure, at);  // otherwise started() will do it
    at = next;
  }
}

void LeaseWatch::linger(Tenure& tenure, Attempts::iterator at) {
  if (still_runs(*at)) {
    at->second.until = tenure.until;
    tenure.lingering.insert(*at);
    ++lingering_;
  }
  tenure.running.erase(at);
}

bool LeaseWatch::still_runs(const Attempts::value_type& attempt) {
  return attempt.second.executor->still_runs(attempt.first);
}

void LeaseWatch::forget_ended(Tenure& tenure) {
  lingering_ -=
      std::erase_if(tenure.lingering, [](const auto& attempt) { return !still_runs(attempt); });
}

bool LeaseWatch::check(Instant now) {
  const std::lock_guard lock(mutex_);
  // The loop and the watchdog read the clock before they lock, so the later reading may come first.
  looked_at_ = std::max(looked_at_, now);
  bool any = false;
  for (auto& [partition, tenure] : tenures_) {
    forget_ended(tenure);
    if (now >= tenure.until) {
      kill(tenure);
      any = any || std::any_of(tenure.running.begin(), tenure.running.end(), still_runs);
    }
    any = any || std::any_of(tenure.lingering.begin(), tenure.lingering.end(),
                             [now](const auto& attempt) { return now >= attempt.second.until; });
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

bool LeaseWatch::blocks(PartitionId partition, std::string_view account) {
  // Asked at every start, and almost always true: no lock.
  if (lingering_ == 0) return false;
  const std::lock_guard lock(mutex_);
  Tenure& tenure = tenures_[partition];
  forget_ended(tenure);
  return std::any_of(
      tenure.lingering.begin(), tenure.lingering.end(),
      [hash = bytes_hash(account)](const auto& attempt) { return attempt.second.account == hash; });
}

bool LeaseWatch::blocks_any(PartitionId partition) {
  if (lingering_ == 0) return false;
  const std::lock_guard lock(mutex_);
  Tenure& tenure = tenures_[partition];
  forget_ended(tenure);
  return !tenure.lingering.empty();
}

}  // namespace penstock
