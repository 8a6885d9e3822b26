// When a failed job runs again (SPEC section 5, `retry`):
// before attempt n + 1 passes min(max, base * factor^(n-1)), times 1 +- jitter.
#pragma once

#include "consumer/policy.h"
#include "state/digest.h"
#include "topics/types.h"

namespace penstock {

// The wait after the failure of attempt `attempt` (1 is the first). The jitter is a hash of the job and
// the attempt, so that the same history gives the same times. Never negative.
[[nodiscard]] Duration retry_delay(const RetryPolicy& policy, int attempt, const Digest& job);

}  // namespace penstock
