// `bench parked`: the CPU time of a worker while a million jobs are parked on ten thousand limits,
// none of which ever frees a slot, compared with the same worker with nothing to do.
#pragma once

#include "bench/rig/bench.h"

namespace penstock {

// `--jobs` is the number of waiting jobs, `--accounts` that of limits, `--seconds` how long each
// worker is watched.
[[nodiscard]] Result<nlohmann::ordered_json> bench_parked(const BenchOptions& options);

}  // namespace penstock
