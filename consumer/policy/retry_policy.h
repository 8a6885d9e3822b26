// The settings for whether and when a failed job runs again (docs/config.md, `retry`). Immutable
// values that have been validated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "consumer/policy/error_pattern.h"
#include "topics/values/types.h"

namespace penstock {

inline constexpr int kMaxAttempts = 1'000'000;
inline constexpr int kMaxDegree = 10;
inline constexpr std::size_t kMaxDelays = 1'000;
inline constexpr std::size_t kMaxErrorPatterns = 100;

enum class Backoff : std::uint8_t { kFixed, kExponential, kPolynomial, kDelays };

// For a type and account: after `failures` in a row, one attempt may start every `probe` until one
// succeeds.
struct BreakerPolicy {
  int failures = 10;
  Duration probe{30'000};

  friend bool operator==(const BreakerPolicy&, const BreakerPolicy&) = default;
};

// Attempt 1 is the first. The wait before attempt n + 1 depends on the backoff
// (consumer/policy/retry.h):
//   fixed        base
//   exponential  min(max, base * factor^(n-1))
//   polynomial   min(max, base * n^degree)
//   delays       the n-th of the delays, or the last of them
// times 1 +- jitter.
struct RetryPolicy {
  int attempts = 25;
  Backoff backoff = Backoff::kExponential;
  Duration base{15'000};
  double factor = 2;  // 1 to 1,000, in steps of 0.001
  Duration max{6 * 3'600'000};
  double jitter = 0.2;  // 0 to 1
  int degree = 2;
  std::vector<Duration> delays = {};
  std::vector<ErrorPattern> retry_on = {};    // empty: every failure is retried
  std::vector<ErrorPattern> discard_on = {};  // takes precedence over retry_on
  std::optional<BreakerPolicy> breaker = {};
};

}  // namespace penstock
