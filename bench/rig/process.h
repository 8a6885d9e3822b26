// What a process costs, read from /proc.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "topics/values/result.h"

namespace penstock {

// Resident; of this process when `pid` is 0.
[[nodiscard]] Result<std::uint64_t> resident_bytes(pid_t pid);
// Used so far, by all threads, in user and kernel mode.
[[nodiscard]] Result<double> cpu_seconds(pid_t pid);
// Gives back what the heap holds and nothing uses.
void trim_heap();

}  // namespace penstock
