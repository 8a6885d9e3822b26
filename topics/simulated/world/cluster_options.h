// The options of a simulated cluster. A value.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "topics/simulated/world/fault_plan.h"
#include "topics/simulated/world/random.h"
#include "topics/values/types.h"

namespace penstock {

struct ClusterOptions {
  std::uint64_t seed = 0;
  FaultPlan faults{};
  int brokers = 3;
  // the wall-clock time at which virtual time begins
  Time first_time = time_from_ms(1'800'000'000'000);

  simulated::Nanos session_timeout = std::chrono::seconds(15);
  // for a member that does not finish a revocation
  simulated::Nanos revoke_timeout = std::chrono::seconds(15);
  simulated::Nanos heartbeat = std::chrono::milliseconds(400);

  simulated::Nanos delivery_timeout = std::chrono::seconds(10);
  simulated::Nanos retry = std::chrono::milliseconds(800);
  simulated::Nanos request_timeout = std::chrono::seconds(5);  // for bounds and delete_records
  std::size_t in_flight = 5;                                   // per lane and partition
  std::size_t buffered_appends = 10'000;                       // per lane
  std::size_t buffered_bytes = 32 << 20;                       // per lane
  std::size_t fetch_records = 500;                             // at most, per answer

  bool rates_differ = false;  // the hosts' clocks run at 1 ± 1 %
  // wait() advances virtual time until something has arrived; for callers without a driver.
  bool wait_passes_time = false;
};

}  // namespace penstock
