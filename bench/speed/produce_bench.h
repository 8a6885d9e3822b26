// `bench produce`: the real Producer against librdkafka alone, the same bytes to the same topic.
#pragma once

#include "bench/rig/bench.h"

namespace penstock {

[[nodiscard]] Result<nlohmann::ordered_json> bench_produce(const BenchOptions& options);

}  // namespace penstock
