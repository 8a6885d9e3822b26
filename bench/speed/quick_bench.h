// `bench quick`: jobs that do nothing, through the whole system, compared with librdkafka reading
// the same topic.
#pragma once

#include "bench/rig/bench.h"

namespace penstock {

[[nodiscard]] Result<nlohmann::ordered_json> bench_quick(const BenchOptions& options);

}  // namespace penstock
