// `bench events`: jobs that do nothing, with events about each of them, compared with the same jobs
// without events.
#pragma once

#include "bench/rig/bench.h"

namespace penstock {

[[nodiscard]] Result<nlohmann::ordered_json> bench_events(const BenchOptions& options);

}  // namespace penstock
