// `bench due`: many jobs become due at one instant. Measures the seconds from that instant until
// the last one has started. The raw figure is the seconds that librdkafka takes to read as many
// records.
#pragma once

#include "bench/rig/bench.h"

namespace penstock {

[[nodiscard]] Result<nlohmann::ordered_json> bench_due(const BenchOptions& options);

}  // namespace penstock
