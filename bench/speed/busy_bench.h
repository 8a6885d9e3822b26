// `bench busy`: handlers that take some time, compared with all places being in use all the time.
#pragma once

#include "bench/rig/bench.h"

namespace penstock {

[[nodiscard]] Result<nlohmann::ordered_json> bench_busy(const BenchOptions& options);

}  // namespace penstock
