// `bench slots`: a hundred thousand jobs wait for ten slots that twelve partitions and two workers
// share: how much of the slots' time is used, and how many messages that takes.
#pragma once

#include "bench/rig/bench.h"

namespace penstock {

// `--jobs` is how many wait; it is measured for a while, not until they are done.
[[nodiscard]] Result<nlohmann::ordered_json> bench_slots(const BenchOptions& options);

}  // namespace penstock
