#include "consumer/task/outcome/unique_keys.h"

#include <algorithm>

namespace penstock {
namespace {

constexpr std::string_view kNotRetried = "; not retried: ";

bool has_scope(const LiveJob* job, UniqueScope scope) {
  return job->type && job->type->policy.unique && job->type->policy.unique->scope == scope;
}

}  // namespace

void UniqueKeys::take(LiveJob* job) {
  const UniquePolicy& policy = *job->type->policy.unique;
  // A copy holds its lock no longer than it lives, so that it is in no other job's way.
  const bool until_a_time = policy.scope == UniqueScope::kTtl && !job->row.is_copy();
  const Time until = until_a_time ? core_.now + policy.ttl : Time{};
  core_.locks.take(job->row.unique, {job->row.seq, until, job->row.id}, core_.now);
}

void UniqueKeys::started(LiveJob* job) {
  const UniquePolicy& policy = *job->type->policy.unique;
  if (policy.scope == UniqueScope::kQueued) core_.locks.release(job->row.unique, job->row.seq);
  const bool holds =
      policy.scope == UniqueScope::kQueuedAndRunning || policy.scope == UniqueScope::kUntilDone;
  // A retry may have released the lock (paused), and a job that was admitted before its type had
  // uniqueness never had it.
  if (holds) take(job);
}

void UniqueKeys::paused(LiveJob* job) {
  if (has_scope(job, UniqueScope::kQueuedAndRunning))
    core_.locks.release(job->row.unique, job->row.seq);
}

void UniqueKeys::ended(LiveJob* job) {
  // An operator who deletes a job frees its key, even where the lock is held until a time.
  const bool deleted = job->row.asked == Asked::kDelete;
  deleted ? core_.locks.drop(job->row.unique, job->row.seq)
          : core_.locks.release(job->row.unique, job->row.seq);
}

bool UniqueKeys::retake(LiveJob* job) {
  if (!job->type || !job->type->policy.unique || job->row.unique == Digest{}) return true;
  if (has_scope(job, UniqueScope::kRunning)) return true;
  for (const UniqueLocks::Holder& holder : core_.locks.holders(job->row.unique, core_.now)) {
    // Its own lock, held until a time.
    if (holder.seq == job->row.seq) continue;
    std::string& reason = job->row.reason;
    // The note of an earlier refusal goes, so that repeated commands do not make the reason grow.
    reason.resize(std::min(reason.size(), reason.find(kNotRetried)));
    reason.append(kNotRetried)
        .append("\"")
        .append(holder.id)
        .append("\" holds the lock of its unique key");
    return false;
  }
  take(job);
  return true;
}

std::vector<std::string> UniqueKeys::holders(const Digest& key, Time now) {
  std::vector<std::string> ids;
  for (const auto& holder : core_.locks.holders(key, now)) ids.push_back(holder.id);
  const std::string runs(core_.unique_gates.holder(key));
  if (!runs.empty() && std::find(ids.begin(), ids.end(), runs) == ids.end()) ids.push_back(runs);
  return ids;
}

}  // namespace penstock
