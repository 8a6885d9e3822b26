// The settings of one tenure.
#pragma once

#include "consumer/task/core/task_options.h"
#include "state/owner/owner.h"

namespace penstock {

struct TenureOptions {
  TaskOptions task;
  std::uint32_t queue_number = 0;  // among the queues of the process
  bool owns_slots = false;         // a partition of the slots topic: no jobs
  std::uint64_t tenure = 0;        // distinguishes this tenure's tickets from those of earlier ones
  ClaimNonce nonce;
  LeaseRules lease;
  LastTenure last;
  Owner::Claims claims = Owner::Claims::kAnyOwner;
  std::chrono::nanoseconds ask_at_most = std::chrono::minutes(1);
  // Under load, a commit is delayed by this time or until it has this many bytes.
  std::chrono::nanoseconds commit_interval = std::chrono::milliseconds(50);
  std::size_t commit_bytes = 128 << 10;
  // The log is trimmed when it is longer than this and longer than twice the live rows.
  std::uint64_t trim_bytes = 64ULL << 20;
};

}  // namespace penstock
