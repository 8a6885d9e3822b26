#include "tests/simulation/checker/share_checks.h"

namespace penstock::simulation {
namespace {

// Of two flows alike each is served at most twice between two services of the other; and the oldest
// flow's turn, which comes every tenth time, may be the other's.
constexpr std::uint64_t kMaxHeavyStarts = 3 * 2 + 1;
// A new owner begins the turns anew, and what ran may have its turn again.
constexpr std::uint64_t kMoreByOwner = 2;

std::uint64_t most_heavy_starts(std::size_t owners) {
  return kMaxHeavyStarts + kMoreByOwner * (owners > 1 ? owners - 1 : 0);
}

}  // namespace

void ShareChecks::taken(const Job& job) {
  if (job.id == "light-2") light_account_ = job.account;
  if (job.id == "small-2") small_waits_ = true;
}

void ShareChecks::started(const Job& job, const AttemptRequest& request) {
  account_started(job, request);
  chunk_started(job, request);
}

// A job that starts again because its owner was lost is not served twice.
void ShareChecks::account_started(const Job& job, const AttemptRequest& request) {
  // An account that is not there has no share.
  if (run_.settings().max_flows != Lines::kMaxFlows) return;
  const bool either = job.account == light_account_ || job.account == "heavy";
  if (!light_account_.empty() && either) light_owners_.insert(request.key.token.epoch);
  const bool light_waits = !light_account_.empty() && running_.has_room(light_account_);
  if (light_waits && job.starts == 0 && job.id.starts_with("heavy-")) ++heavy_starts_;
  if (job.id != "light-2" || job.starts > 0) return;
  const std::uint64_t allowed = most_heavy_starts(light_owners_.size());
  run_.rules().check(Rule::kFair, heavy_starts_ <= allowed, [&] {
    return "three jobs of one account waited for " + std::to_string(heavy_starts_) +
           " jobs of another";
  });
}

void ShareChecks::chunk_started(const Job& job, const AttemptRequest& request) {
  if (small_waits_ && job.account == "bulky") small_owners_.insert(request.key.token.epoch);
  if (small_waits_ && job.starts == 0 && job.bulk_id == "great") ++great_starts_;
  if (job.id != "small-2" || job.starts > 0) return;
  const std::uint64_t allowed = most_heavy_starts(small_owners_.size());
  run_.rules().check(Rule::kBulkShare, great_starts_ <= allowed, [&] {
    return "three chunks of one bulk waited for " + std::to_string(great_starts_) + " of another";
  });
}

}  // namespace penstock::simulation
