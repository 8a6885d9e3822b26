// `bench noisy`: one account floods the queue, then a hundred others want a little: how long they
// take.
#pragma once

#include "bench/rig/bench.h"

namespace penstock {

// `--jobs` is the noisy account's number, `--accounts` the number of the others.
[[nodiscard]] Result<nlohmann::ordered_json> bench_noisy(const BenchOptions& options);

}  // namespace penstock
