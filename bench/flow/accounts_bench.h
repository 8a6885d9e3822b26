// `bench accounts`: what a quick job costs with a million accounts, against a hundred.
#pragma once

#include "bench/rig/bench.h"

namespace penstock {

// `--accounts` is the large number.
[[nodiscard]] Result<nlohmann::ordered_json> bench_accounts(const BenchOptions& options);

}  // namespace penstock
