// `bench kept`: quick jobs in a queue whose state has rows of other jobs, compared with the same
// jobs in a queue without such rows. Shows what rows in the state cost the jobs that need none.
#pragma once

#include "bench/rig/bench.h"

namespace penstock {

// `value`: jobs per second beside live rows; `raw`: without them.
[[nodiscard]] Result<nlohmann::ordered_json> bench_kept(const BenchOptions& options);

}  // namespace penstock
