// `bench slots`: a hundred thousand jobs wait for ten slots that twelve partitions and two workers
// share. Measures how much of the slots' time is used, and how many messages that takes.
#pragma once

#include "bench/rig/bench.h"

namespace penstock {

// `--jobs` is the number of waiting jobs. The measurement takes a fixed time, rather than until
// they have ended.
[[nodiscard]] Result<nlohmann::ordered_json> bench_slots(const BenchOptions& options);

}  // namespace penstock
