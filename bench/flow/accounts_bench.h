// `bench accounts`: the cost of a quick job with a million accounts, compared with a hundred.
#pragma once

#include "bench/rig/bench.h"

namespace penstock {

// `--accounts` is the larger number.
[[nodiscard]] Result<nlohmann::ordered_json> bench_accounts(const BenchOptions& options);

}  // namespace penstock
