// `bench takeover`: the longest turn of a loop while a paused queue in which a million accounts
// wait is taken over, against one without jobs.
#pragma once

#include "bench/rig/bench.h"

namespace penstock {

// `--accounts` is how many wait, with a job each.
[[nodiscard]] Result<nlohmann::ordered_json> bench_takeover(const BenchOptions& options);

}  // namespace penstock
