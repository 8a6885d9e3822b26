// `bench takeover`: the longest pass of a loop during the take-over of a paused queue in which a
// million accounts wait, compared with one without jobs.
#pragma once

#include "bench/rig/bench.h"

namespace penstock {

// `--accounts` is the number of waiting accounts, with one job each.
[[nodiscard]] Result<nlohmann::ordered_json> bench_takeover(const BenchOptions& options);

}  // namespace penstock
