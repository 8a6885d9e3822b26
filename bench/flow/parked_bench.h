// `bench parked`: what a worker's processor costs while a million jobs are parked on ten thousand
// limits, none of which gives a slot back, against the same worker with nothing to do.
#pragma once

#include "bench/rig/bench.h"

namespace penstock {

// `--jobs` is how many wait, `--accounts` on how many limits, `--seconds` how long each is watched.
[[nodiscard]] Result<nlohmann::ordered_json> bench_parked(const BenchOptions& options);

}  // namespace penstock
