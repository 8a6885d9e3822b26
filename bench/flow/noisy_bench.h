// `bench noisy`: how long a hundred accounts with a few jobs each take after one account has
// flooded the queue.
#pragma once

#include "bench/rig/bench.h"

namespace penstock {

// `--jobs` is the noisy account's number of jobs, `--accounts` the number of other accounts.
[[nodiscard]] Result<nlohmann::ordered_json> bench_noisy(const BenchOptions& options);

}  // namespace penstock
