// `bench latency`: the time from a job's acknowledgement to its handler's start at 1,000 jobs/s,
// compared with a raw consumer that reads the same topic at the same time. Also reports over_p50_ms
// and over_p99_ms: by how much the handler is later.
#pragma once

#include "bench/rig/bench.h"

namespace penstock {

// `--jobs` is the number of jobs per round.
[[nodiscard]] Result<nlohmann::ordered_json> bench_latency(const BenchOptions& options);

}  // namespace penstock
