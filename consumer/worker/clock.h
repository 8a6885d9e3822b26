// The worker's clocks, read only at its edges. The wall clock is clamped so that it never goes back
// within one process, because `run_at` is compared with it. Thread-safe.
#pragma once

#include <atomic>

#include "topics/values/types.h"

namespace penstock {

class Clock {
 public:
  [[nodiscard]] Now now();
  [[nodiscard]] static Instant boot();

 private:
  std::atomic<std::int64_t> latest_ms_{0};
};

}  // namespace penstock
