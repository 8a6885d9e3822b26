// What a simulated cluster is made with. A value.
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
  Time first_time = time_from_ms(1'800'000'000'000);  // the wall clock when virtual time begins

  simulated::Nanos session_timeout = std::chrono::seconds(15);
  simulated::Nanos revoke_timeout = std::chrono::seconds(15);  // of a member that does not finish
  simulated::Nanos heartbeat = std::chrono::milliseconds(400);

  simulated::Nanos delivery_timeout = std::chrono::seconds(10);
  simulated::Nanos retry = std::chrono::milliseconds(800);
  simulated::Nanos request_timeout = std::chrono::seconds(5);  // bounds, delete_records
  std::size_t in_flight = 5;                                   // of a lane to a partition
  std::size_t buffered_appends = 10'000;                       // of a lane
  std::size_t buffered_bytes = 32 << 20;                       // of a lane
  std::size_t fetch_records = 500;                             // at most, in one answer

  bool rates_differ = false;  // the hosts' clocks run at 1 ± 1 %
  // wait() passes virtual time until there is something; for callers that have no driver.
  bool wait_passes_time = false;
};

}  // namespace penstock
