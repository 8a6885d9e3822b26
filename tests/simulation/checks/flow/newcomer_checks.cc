#include "tests/simulation/checks/flow/newcomer_checks.h"

namespace penstock::simulation {

void NewcomerChecks::taken(const Job& job, Instant at) {
  if (job.account != kElderAccount || all_there_) return;
  all_there_ = job.id == "elder-" + std::to_string(kElderJobs - 1);
  if (all_there_ && started_ < kElderJobs) waits_since_ = at;
}

void NewcomerChecks::started(const Job& job, Instant at) {
  if (job.account == kElderAccount && job.starts == 0) {
    ++started_;
    passed_ = 0;
    // Where the account may have two at once, the next one waits from now on.
    if (waits_since_) waits_since_ = at;
    if (started_ == kElderJobs) waits_since_.reset();
  }
  if (!waits_since_ || !job.account.starts_with(kNewcomerPrefix) || job.starts > 0) return;
  if (job.appended > *waits_since_) ++passed_;
  rules_.check(Rule::kNewcomers, passed_ <= kMaxPass, [&] {
    return std::to_string(passed_) + " accounts that came after it are served before the " +
           std::to_string(started_) + ". job of an old one";
  });
}

// Only from now on it may start.
void NewcomerChecks::hidden(const std::string& account, Instant at) {
  if (account == kElderAccount && waits_since_) waits_since_ = at;
}

}  // namespace penstock::simulation
