// `bench scheduled`: ten million scheduled jobs that all become due within one minute. Measures the
// maximum resident memory of the process, from admission to the last job's end, compared with that
// before the worker started. Also reports due_jobs_per_second (from the first job's time to the
// last job's end), early and admitted_jobs_per_second.
#pragma once

#include "bench/rig/bench.h"

namespace penstock {

// One round by default; `--seconds` is the time from the start until the first job is due.
[[nodiscard]] Result<nlohmann::ordered_json> bench_scheduled(const BenchOptions& options);

}  // namespace penstock
