// One run of a worker with an empty state on a queue that already contains its jobs.
#pragma once

#include <cstddef>

#include "bench/rig/bench_queue.h"
#include "bench/rig/bench_worker.h"

namespace penstock {

// Jobs succeeded per second, counted from the first jobs' end to the last job's end: joining,
// claiming and the first fetch are not included, as in the raw figure (bench/raw/raw_consumer.h).
// The state directory of `options` is not used. `rows`: how many more jobs there are, which come
// first in their partitions and only wait; counting begins when all of them have been admitted.
[[nodiscard]] Result<double> drain_rate(const BenchQueue& queue, std::size_t jobs,
                                        BenchWorkerOptions options, std::size_t rows = 0);

}  // namespace penstock
