// `bench retries`: many jobs fail and are all to be retried at one instant, while new jobs of other
// accounts keep arriving. Measures the seconds from that instant until the last retry has started.
// The raw figure is the seconds that their first attempts took. Also reports how late the new jobs
// start before that instant and while the retries run.
#pragma once

#include "bench/rig/bench.h"

namespace penstock {

[[nodiscard]] Result<nlohmann::ordered_json> bench_retries(const BenchOptions& options);

}  // namespace penstock
