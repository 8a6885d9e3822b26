// The settings of a loop.
#pragma once

#include "consumer/task/core/task_options.h"
#include "state/log/lease.h"

namespace penstock {

struct LoopOptions {
  std::string prefix = "penstock";
  std::string instance;
  std::string client_id;  // of the loop's member of its group; tells the process if it has standbys
  QueuePolicy queue;
  std::uint32_t queue_number = 0;  // among the queues of the process
  const TypeTable* types = nullptr;
  int concurrency = 10;
  LeaseRules lease;
  std::uint64_t nonce = 0;  // of this process and loop; differs for every start
  std::chrono::nanoseconds grace = std::chrono::seconds(25);  // for a revoked partition's attempts
  std::uint64_t trim_bytes = 64ULL << 20;
  // The partitions are those of the slots topic; `queue` has its name and partition count.
  bool owns_slots = false;
  int slots_partitions = kSlotsPartitions;
  std::size_t max_live_jobs = Lines::kMaxLiveJobs;  // per partition
  StepBounds bounds = {};
  std::size_t max_flows = Lines::kMaxFlows;     // per partition
  std::uint32_t newest_format = kNewestFormat;  // that this version knows
};

}  // namespace penstock
