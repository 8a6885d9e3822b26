// Whether and when a failed job runs again (docs/config.md, `retry`). Attempts count from 1. Every
// wait is in whole milliseconds, rounded up, so that no retry is early. The arithmetic is in
// saturating integers, so that the same history gives the same times on every machine. Pure; may be
// used from any thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "consumer/policy/policy.h"
#include "state/rows/digest.h"
#include "topics/values/types.h"

namespace penstock {

// min(max, base * factor^(attempt-1)). The factor counts in steps of 0.001, and each multiplication
// is rounded up to the nanosecond.
[[nodiscard]] Duration exponential_delay(Duration base, double factor, Duration max, int attempt);

// min(max, base * attempt^degree)
[[nodiscard]] Duration polynomial_delay(Duration base, int degree, Duration max, int attempt);

// delays[min(attempt, delays.size()) - 1]; `delays` must not be empty.
[[nodiscard]] Duration listed_delay(std::span<const Duration> delays, int attempt);

// wait * (1 + u), with u uniformly from [-jitter, jitter] in steps of 10^-6. u is a hash of the job
// and the attempt.
[[nodiscard]] Duration with_jitter(Duration wait, double jitter, const Digest& job, int attempt);

// The wait after attempt `attempt` has failed: the policy's backoff with its jitter. Never
// negative.
[[nodiscard]] Duration retry_delay(const RetryPolicy& policy, int attempt, const Digest& job);

// Why a failure of this class ends the job although attempts are left: the class is in discard_on,
// or there is a retry_on that does not contain it. Empty: the job is retried.
[[nodiscard]] std::optional<std::string> discard_reason(const RetryPolicy& policy,
                                                        std::string_view error_class);

}  // namespace penstock
