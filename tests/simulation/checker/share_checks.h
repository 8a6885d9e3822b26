// Checks fair shares by two stories that begin when the faults are over: an account with three jobs
// arrives behind one with many, and a bulk with three chunks behind a great one. Neither waits for
// more than its share of turns. One thread.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "consumer/job/handler.h"
#include "tests/simulation/checker/checked_run.h"
#include "tests/simulation/checker/running_attempts.h"

namespace penstock::simulation {

class ShareChecks {
 public:
  ShareChecks(CheckedRun& run, const RunningAttempts& running) : run_(run), running_(running) {}

  // An honoured commit has taken the job's record.
  void taken(const Job& job);
  // Before the start is counted in the job.
  void started(const Job& job, const AttemptRequest& request);

 private:
  void account_started(const Job& job, const AttemptRequest& request);
  void chunk_started(const Job& job, const AttemptRequest& request);

  CheckedRun& run_;
  const RunningAttempts& running_;
  std::string light_account_;                           // once its jobs have been taken
  std::uint64_t heavy_starts_ = 0;                      // while one of them could have started
  bool small_waits_ = false;                            // the small bulk's chunks have been taken
  std::uint64_t great_starts_ = 0;                      // since
  std::set<std::int64_t> light_owners_, small_owners_;  // that have served either since then
};

}  // namespace penstock::simulation
