// Checks the order in which an account's jobs start: strict, created, ready or fair, as the queue
// has it. One thread.
#pragma once

#include "consumer/job/handler.h"
#include "tests/simulation/checker/checked_run.h"

namespace penstock::simulation {

class OrderChecks {
 public:
  explicit OrderChecks(CheckedRun& run) : run_(run) {}

  // Before the start is counted in the job.
  void started(const Job& job, const AttemptRequest& request);

 private:
  void check_admission(const Job& job);
  void check_ready(const Job& job, const AttemptRequest& request);
  void check_fair(const Job& job, const AttemptRequest& request);

  CheckedRun& run_;
};

}  // namespace penstock::simulation
