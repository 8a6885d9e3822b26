// `bench scheduled`: ten million jobs that wait for their time, all due within one minute: the
// resident bytes of the process at their most, from admission to the last end, against those before
// the worker began. The report also has due_jobs_a_second (from the first one's time to the last
// one's end), early and admitted_jobs_a_second.
#pragma once

#include "bench/rig/bench.h"

namespace penstock {

// One round unless told otherwise; `--seconds` is how long after the start the first is due.
[[nodiscard]] Result<nlohmann::ordered_json> bench_scheduled(const BenchOptions& options);

}  // namespace penstock
