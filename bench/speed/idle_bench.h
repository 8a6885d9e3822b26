// `bench idle`: resident bytes of a worker of its own process that has nothing to do, against a
// process that only consumes the same topic with librdkafka. The report also has cpu_percent and
// raw_cpu_percent of a core.
#pragma once

#include "bench/rig/bench.h"

namespace penstock {

// `--seconds` is how long each is watched.
[[nodiscard]] Result<nlohmann::ordered_json> bench_idle(const BenchOptions& options);

}  // namespace penstock
