// What a partition's task is given when it is made. Values and views, constant from then on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "consumer/limits/shared_limits.h"
#include "consumer/policy/policy.h"
#include "consumer/policy/type_table.h"
#include "consumer/schedule/lines/lines.h"
#include "consumer/schedule/step_bounds.h"
#include "state/store/state_format.h"
#include "topics/names.h"

namespace penstock {

struct TaskOptions {
  std::string prefix = "penstock";
  QueuePolicy queue;
  PartitionId partition = 0;
  std::string instance;
  const TypeTable* types = nullptr;
  int slots_partitions = kSlotsPartitions;
  // If more jobs than this are in memory, a commit leaves as many as possible as their rows alone.
  std::size_t max_live_jobs = Lines::kMaxLiveJobs;
  std::size_t max_flows = Lines::kMaxFlows;
  std::size_t max_shared_limits = SharedLimits::kMax;
  StepBounds bounds = {};
  std::uint32_t newest_format = kNewestFormat;  // that this worker knows
  // Shared by all tasks of a loop, which refills it for each pass; absent: each step has its own.
  StepBudget* budget = nullptr;
};

}  // namespace penstock
