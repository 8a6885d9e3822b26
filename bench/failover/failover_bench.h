// `bench failover`: for how long the jobs of a partition stand still when it moves to another
// worker (a hand-over), when its worker crashes and is started again in place, and when its worker
// crashes for good, with states of several sizes.
#pragma once

#include "bench/rig/bench.h"

namespace penstock {

// `value`: the median of hand-overs, in ms; `raw`: the longest pause of the same partitions while
// nothing moves. Further members: handover_p50_ms, handover_max_ms, in_place_max_s, machine_max_s,
// machine_standby_max_s (null: not measured), and `sizes` with these for each size of the state.
[[nodiscard]] Result<nlohmann::ordered_json> bench_failover(const BenchOptions& options);

}  // namespace penstock
