// The clock of the group's timeouts. May be called from any thread.
#pragma once

#include <ctime>

#include "topics/values/types.h"

namespace penstock::embedded {

[[nodiscard]] inline Instant boot_time() {
  timespec now{};
  clock_gettime(CLOCK_BOOTTIME, &now);
  return Instant{std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec)};
}

}  // namespace penstock::embedded
