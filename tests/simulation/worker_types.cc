#include "tests/simulation/worker_types.h"

#include "tests/simulation/checks/batches/batch_checks.h"
#include "tests/simulation/checks/batches/group_checks.h"
#include "tests/simulation/checks/flow/breaker_checks.h"
#include "tests/simulation/checks/flow/limit_checks.h"
#include "tests/simulation/checks/flow/shared_checks.h"
#include "tests/simulation/checks/flow/shared_rate_checks.h"
#include "tests/simulation/checks/jobs/error_checks.h"
#include "tests/simulation/checks/jobs/long_checks.h"
#include "tests/simulation/checks/jobs/unique_checks.h"

namespace penstock::simulation {
namespace {

void add_limited_types(TypeTable& types, const Settings& settings) {
  TypePolicy slow = settings.type;
  slow.limits = {{parse_limit_name("slow/{account}").value(), 1, {}, 1}};
  types.add(std::string(kSlowType), std::move(slow));
  TypePolicy paced = settings.type;
  const Rate rate{1, kPacedEvery};
  paced.limits = {{parse_limit_name("{type}/{account}").value(), {}, rate, kPacedBurst}};
  paced.between_iterations = BetweenIterations::kRelease;  // each iteration is a start
  types.add(std::string(kPacedType), std::move(paced));
  TypePolicy shaky = settings.type;
  shaky.retry.breaker = BreakerPolicy{.failures = kShakyFailures, .probe = kShakyProbe};
  types.add(std::string(kShakyType), std::move(shaky));
}

void add_long_types(TypeTable& types, const Settings& settings) {
  TypePolicy patient = settings.type;
  if (settings.queue.order != Order::kStrict) patient.max_runtime = kLongestRun;
  patient.between_iterations = BetweenIterations::kRelease;
  types.add(std::string(kLongType), std::move(patient));
  for (const std::string_view name : {kHolderType, kTakerType}) {
    TypePolicy desk = settings.type;
    desk.limits = {{parse_limit_name("desk/{account}").value(), 1, {}, 1}};
    types.add(std::string(name), std::move(desk));
  }
}

}  // namespace

void add_worker_types(TypeTable& types, const Settings& settings) {
  types.add(std::string(kType), settings.type);
  if (settings.limits) add_limited_types(types, settings);
  for (const std::string_view type : {kGatheredType, kMergedType, kStreamType, kSizedType}) {
    if (!settings.batches) break;
    TypePolicy policy = settings.type;
    policy.batch = batch_of(type);
    types.add(std::string(type), std::move(policy));
  }
  if (settings.batches) types.add(std::string(kLedType), led_policy(settings.type));
  if (settings.unique) add_unique_types(types, settings.type);
  if (settings.errors) add_error_types(types, settings.type);
  if (settings.long_jobs) add_long_types(types, settings);
  if (settings.shared) {
    for (const std::string_view name : {kPoolType, kPairType}) {
      TypePolicy type = settings.type;
      type.limits = shared_limits_of(name, settings.shared_slots);
      types.add(std::string(name), std::move(type));
    }
  }
  if (settings.lanes) {
    TypePolicy lane = settings.type;
    lane.limits = {{parse_limit_name(kLaneLimit).value(), {}, kLaneRate, kLaneBurst}};
    lane.between_iterations = BetweenIterations::kRelease;  // each iteration is a start
    types.add(std::string(kLaneType), std::move(lane));
  }
}

}  // namespace penstock::simulation
