// `bench restore`: bytes/s of the state topic that a worker with an empty state directory takes in,
// against librdkafka reading that topic. The report also has warm_restart_s: a start with the state
// at hand.
#pragma once

#include "bench/rig/bench.h"

namespace penstock {

[[nodiscard]] Result<nlohmann::ordered_json> bench_restore(const BenchOptions& options);

}  // namespace penstock
