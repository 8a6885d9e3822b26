// `bench retries`: many jobs fail and are all to be retried at one instant, while fresh jobs of
// other accounts go on coming; the seconds from the instant until the last retry has started. The
// raw figure is the seconds that their first attempts took. Beside it: how late the fresh jobs
// start before the instant, and while the retries run.
#pragma once

#include "bench/rig/bench.h"

namespace penstock {

[[nodiscard]] Result<nlohmann::ordered_json> bench_retries(const BenchOptions& options);

}  // namespace penstock
