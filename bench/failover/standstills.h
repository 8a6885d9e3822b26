// What the starts of jobs say about partitions that have moved from one process to another. Pure.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "bench/failover/start_pipe.h"

namespace penstock {

// The longest time without a start, in seconds, of each partition whose jobs another process has
// started since `from`.
[[nodiscard]] std::map<PartitionId, double> standstills(std::span<const JobStart> starts,
                                                        SteadyClock::time_point from);
// The same of these partitions before `to`, when nothing moved.
[[nodiscard]] std::vector<double> undisturbed(std::span<const JobStart> starts,
                                              const std::map<PartitionId, double>& moved,
                                              SteadyClock::time_point to);
// The longest time, in seconds, from the kill of this worker to a start in each partition that it
// had; nothing while one of them has had no start.
[[nodiscard]] std::optional<double> back_after(std::span<const JobStart> starts, int killed,
                                               SteadyClock::time_point kill);
// Whether jobs of each of so many partitions have started within the last time, and by the same
// process for a while, and some partition has moved since `from`.
[[nodiscard]] bool settled(std::span<const JobStart> starts, std::size_t partitions,
                           SteadyClock::time_point from, SteadyClock::time_point now);

}  // namespace penstock
