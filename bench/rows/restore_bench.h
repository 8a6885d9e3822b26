// `bench restore`: the bytes of the state topic per second that a worker with an empty state
// directory restores, compared with librdkafka reading that topic. Also reports warm_restart_s: the
// time of a start with the state on disk.
#pragma once

#include "bench/rig/bench.h"

namespace penstock {

[[nodiscard]] Result<nlohmann::ordered_json> bench_restore(const BenchOptions& options);

}  // namespace penstock
