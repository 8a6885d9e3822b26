#include "consumer/task/core/host_conditions.h"

#include <algorithm>

namespace penstock {

bool KilledRuns::overlaps(const LiveJob& job) const {
  // The common case, which costs no look at the account.
  if (!host_.killed_run()) return false;
  if (host_.killed_run(job.row.account)) return true;
  // A limit that is not shared has the account in its name, so only slots of shared limits can be
  // in use by the code of another account's attempt.
  const std::vector<LimitPolicy>& limits = job.type->policy.limits;
  return std::any_of(limits.begin(), limits.end(),
                     [](const LimitPolicy& limit) { return !limit.is_local(); });
}

Gate* KilledRuns::closed(LiveJob* job, const Line&) {
  if (!overlaps(*job)) return nullptr;
  gate_.close();
  return &gate_;
}

Gate* AwaitedNotices::closed(LiveJob* job, const Line&) {
  if (!host_.awaits_notice(job->row, input_next_)) return nullptr;
  gate_.close();
  return &gate_;
}

bool AwaitedNotices::may_join(const JobBatch&, LiveJob* job) {
  return !host_.awaits_notice(job->row, input_next_);
}

}  // namespace penstock
