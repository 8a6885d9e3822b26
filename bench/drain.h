// One run of a worker with an empty state over a queue that already holds its jobs.
#pragma once

#include <cstddef>

#include "bench/bench_queue.h"
#include "bench/bench_worker.h"

namespace penstock {

// Jobs succeeded a second, counted from when the worker runs its partitions to the last job's end:
// joining and claiming are not in it. The state directory of `options` is not used.
[[nodiscard]] Result<double> drain_rate(const BenchQueue& queue, std::size_t jobs,
                                        BenchWorkerOptions options);

}  // namespace penstock
