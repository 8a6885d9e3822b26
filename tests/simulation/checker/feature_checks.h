// The checks that belong to one feature each. Most of them learn from the logs and from the
// attempts, so the parts of the checker share them. One thread.
#pragma once

#include "tests/simulation/checker/checked_run.h"
#include "tests/simulation/checks/batches/batch_checks.h"
#include "tests/simulation/checks/batches/group_checks.h"
#include "tests/simulation/checks/batches/size_checks.h"
#include "tests/simulation/checks/flow/breaker_checks.h"
#include "tests/simulation/checks/flow/limit_checks.h"
#include "tests/simulation/checks/flow/newcomer_checks.h"
#include "tests/simulation/checks/flow/shared_checks.h"
#include "tests/simulation/checks/flow/shared_rate_checks.h"
#include "tests/simulation/checks/flow/weight_checks.h"
#include "tests/simulation/checks/jobs/crash_checks.h"
#include "tests/simulation/checks/jobs/early_checks.h"
#include "tests/simulation/checks/jobs/error_checks.h"
#include "tests/simulation/checks/jobs/life_checks.h"
#include "tests/simulation/checks/jobs/long_checks.h"
#include "tests/simulation/checks/jobs/unique_checks.h"
#include "tests/simulation/checks/log/log_checks.h"
#include "tests/simulation/checks/replays/replay_checks.h"

namespace penstock::simulation {

struct FeatureChecks {
  explicit FeatureChecks(CheckedRun& run)
      : limits(run.rules()),
        logs(run.rules()),
        shared(run.rules(), run.settings().shared_slots),
        shared_rate(run.rules()),
        breakers(run.rules()),
        errors(run.rules()),
        batches(run.settings(), run.rules(), run.model()),
        sizes(run.rules(), run.model()),
        groups(run.rules(), run.model(), run.settings().queue.order == Order::kStrict),
        unique(run.settings(), run.rules(), run.model()),
        long_jobs(run.settings(), run.rules(), run.model()),
        life(run.rules()),
        crashes(run.settings(), run.rules(), run.model()),
        early(run.settings(), run.rules(), run.model()),
        newcomers(run.rules()),
        weights(run.rules()),
        replays(run) {}

  LimitChecks limits;
  LogChecks logs;
  SharedChecks shared;
  SharedRateChecks shared_rate;
  BreakerChecks breakers;
  ErrorChecks errors;
  BatchChecks batches;
  SizeChecks sizes;
  GroupChecks groups;
  UniqueChecks unique;
  LongChecks long_jobs;
  LifeChecks life;
  CrashChecks crashes;
  EarlyChecks early;
  NewcomerChecks newcomers;
  WeightChecks weights;
  ReplayChecks replays;
};

}  // namespace penstock::simulation
