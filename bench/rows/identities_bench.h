// `bench identities`: what the identities of ended jobs cost: memory, and the speed of quick jobs
// while a hundred million of them are remembered, compared with the first jobs of the same queue.
#pragma once

#include "bench/rig/bench.h"

namespace penstock {

// `value`: jobs per second while all but the last jobs' identities are remembered; `raw`: at the
// beginning. Also `bytes_per_identity`: by how much the resident memory grew from 5,000,000 jobs on,
// for each of the others; and `dropped`: jobs that were taken for duplicates, though none is one.
[[nodiscard]] Result<nlohmann::ordered_json> bench_identities(const BenchOptions& options);

}  // namespace penstock
