// The resources that a process uses, read from /proc.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "topics/values/result.h"

namespace penstock {

// Resident memory; that of this process if `pid` is 0.
[[nodiscard]] Result<std::uint64_t> resident_bytes(pid_t pid);
// CPU time used so far by all threads, in user and kernel mode.
[[nodiscard]] Result<double> cpu_seconds(pid_t pid);
// Returns unused memory of the heap to the system.
void trim_heap();

}  // namespace penstock
