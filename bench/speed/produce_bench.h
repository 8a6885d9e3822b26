// `bench produce`: the real Producer compared with librdkafka alone; both send the same bytes to
// the same topic.
#pragma once

#include "bench/rig/bench.h"

namespace penstock {

[[nodiscard]] Result<nlohmann::ordered_json> bench_produce(const BenchOptions& options);

}  // namespace penstock
