// When a failed job runs again, and whether (SPEC section 5, `retry`). Attempts count from 1. Every
// wait is in whole milliseconds, rounded up, so that no retry is early; arithmetic is in integers
// and stops at its bounds, so that the same history gives the same times on every machine. Pure,
// safe from any thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "consumer/policy/policy.h"
#include "state/rows/digest.h"
#include "topics/values/types.h"

namespace penstock {

// min(max, base * factor^(attempt-1)); the factor counts in steps of 0.001. A step of the power is
// rounded up to the nanosecond.
[[nodiscard]] Duration exponential_delay(Duration base, double factor, Duration max, int attempt);

// min(max, base * attempt^degree)
[[nodiscard]] Duration polynomial_delay(Duration base, int degree, Duration max, int attempt);

// delays[min(attempt, their number) - 1]; `delays` is not empty.
[[nodiscard]] Duration listed_delay(std::span<const Duration> delays, int attempt);

// wait * (1 + u), u evenly from [-jitter, jitter] in steps of 10^-6. It follows from the job and
// the attempt.
[[nodiscard]] Duration with_jitter(Duration wait, double jitter, const Digest& job, int attempt);

// The wait after the failure of `attempt`: the policy's backoff, with its jitter. Never negative.
[[nodiscard]] Duration retry_delay(const RetryPolicy& policy, int attempt, const Digest& job);

// Why a failure of this class ends the job although attempts are left: it is in discard_on, or
// there is a retry_on and it is not in that. Absent: it is retried.
[[nodiscard]] std::optional<std::string> discard_reason(const RetryPolicy& policy,
                                                        std::string_view error_class);

}  // namespace penstock
