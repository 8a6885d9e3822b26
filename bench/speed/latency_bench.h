// `bench latency`: from a job's acknowledgement to its handler's start at 1,000 jobs/s, against a
// raw consumer of the same topic beside it. The report also has over_p50_ms and over_p99_ms: how
// much later.
#pragma once

#include "bench/rig/bench.h"

namespace penstock {

// `--jobs` is the number in each round.
[[nodiscard]] Result<nlohmann::ordered_json> bench_latency(const BenchOptions& options);

}  // namespace penstock
