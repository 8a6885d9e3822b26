// `bench quick`: jobs that do nothing, through everything, against librdkafka reading the same
// topic.
#pragma once

#include "bench/bench.h"

namespace penstock {

[[nodiscard]] Result<nlohmann::ordered_json> bench_quick(const BenchOptions& options);

// Also what other benchmarks ask of quick jobs: one worker run over a queue that holds `jobs`, in
// jobs/s.
class BenchQueue;
[[nodiscard]] Result<double> quick_rate(const BenchQueue& queue, std::size_t jobs,
                                        const BenchOptions& options);

}  // namespace penstock
