// Quick jobs in a queue that remembers other jobs, against the same jobs in one that does not: what
// rows in the state cost those that need none.
#pragma once

#include "bench/rig/bench.h"

namespace penstock {

// `value`: jobs per second beside live rows; `raw`: without them.
[[nodiscard]] Result<nlohmann::ordered_json> bench_kept(const BenchOptions& options);

}  // namespace penstock
