// A descriptor that becomes readable when a process ends; not open if there is no such process.
// Needs Linux 5.3. Uses only a system call: it may be called after fork in a process that had
// threads.
#pragma once

#include <sys/syscall.h>
#include <sys/types.h>

#include "consumer/handlers/io/fd.h"

namespace penstock {

// glibc 2.36 declares pidfd_open for C only.
[[nodiscard]] inline Fd open_pidfd(pid_t pid) {
  return Fd(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
}

}  // namespace penstock
