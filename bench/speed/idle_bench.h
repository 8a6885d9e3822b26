// `bench idle`: the resident memory of a worker process that has nothing to do, compared with a
// process that only consumes the same topic with librdkafka. Also reports cpu_percent and
// raw_cpu_percent of a core.
#pragma once

#include "bench/rig/bench.h"

namespace penstock {

// `--seconds` is how long each process is watched.
[[nodiscard]] Result<nlohmann::ordered_json> bench_idle(const BenchOptions& options);

}  // namespace penstock
