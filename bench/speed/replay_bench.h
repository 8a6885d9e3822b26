// bench replay: what a replay costs.
//
//   scan       records looked at per second, 1 % of which match, relative to raw consumption
//   copies     copies admitted and run as noop per second, relative to the drain of the originals
//   live       p99 from a live job's acknowledgement to its start during a replay, and before it
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "bench/rig/bench.h"
#include "topics/values/result.h"

namespace penstock {

[[nodiscard]] Result<nlohmann::ordered_json> bench_replay(const BenchOptions& options);

}  // namespace penstock
