#include "consumer/policy/retry.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "topics/values/check.h"

namespace penstock {
namespace {

// A wait of a hundred years in nanoseconds, times the largest factor in thousandths, takes 82 bits.
using Wide = __int128;

constexpr Wide kNsPerMs = 1'000'000;
constexpr Wide kThousandths = 1'000;
constexpr Wide kMillionths = 1'000'000;

Wide wide_divide_up(Wide value, Wide by) { return (value + by - 1) / by; }

Duration to_duration(Wide ms) { return Duration{static_cast<std::int64_t>(ms)}; }

// The finalizer of SplitMix64 (Steele, Lea, Flood 2014): every input bit changes half of the output
// bits on average.
std::uint64_t mix(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15ULL;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
  return value ^ (value >> 31);
}

Duration delay_by_formula(const RetryPolicy& policy, int attempt) {
  switch (policy.backoff) {
    case Backoff::kFixed:
      return std::min(policy.base, policy.max);
    case Backoff::kExponential:
      return exponential_delay(policy.base, policy.factor, policy.max, attempt);
    case Backoff::kPolynomial:
      return polynomial_delay(policy.base, policy.degree, policy.max, attempt);
    case Backoff::kDelays:
      return listed_delay(policy.delays, attempt);
  }
  PENSTOCK_CHECK(false, "a backoff is one of those above");
}

}  // namespace

Duration exponential_delay(Duration base, double factor, Duration max, int attempt) {
  const Wide step = std::llround(factor * static_cast<double>(kThousandths));
  const Wide most = kNsPerMs * max.count();
  Wide wait = kNsPerMs * base.count();
  // Ends soon: with a factor of at least 1.001, the wait reaches a hundred years after a few steps.
  for (int n = 1; n < attempt && step > kThousandths && wait > 0 && wait < most; ++n) {
    wait = wide_divide_up(wait * step, kThousandths);
  }
  return to_duration(wide_divide_up(std::min(wait, most), kNsPerMs));
}

Duration polynomial_delay(Duration base, int degree, Duration max, int attempt) {
  Wide wait = base.count();
  // Stops at the maximum, before the product could leave its type.
  for (int i = 0; i < degree && wait < max.count(); ++i) wait *= std::max(1, attempt);
  return to_duration(std::min<Wide>(wait, max.count()));
}

Duration listed_delay(std::span<const Duration> delays, int attempt) {
  PENSTOCK_CHECK(!delays.empty(), "a list of delays has at least one");
  const auto index = static_cast<std::size_t>(std::max(1, attempt) - 1);
  return delays[std::min(index, delays.size() - 1)];
}

Duration with_jitter(Duration wait, double jitter, const Digest& job, int attempt) {
  const Wide most = std::llround(jitter * static_cast<double>(kMillionths));
  // Not random: the same attempt waits the same time wherever it is computed, and jobs that failed
  // together still spread.
  const std::uint64_t hash = mix(job.low ^ mix(job.high + static_cast<std::uint64_t>(attempt)));
  // Maps the hash evenly to the whole numbers from -most to most.
  const Wide change = (static_cast<Wide>(hash) * (2 * most + 1) >> 64) - most;
  return to_duration(wide_divide_up(wait.count() * (kMillionths + change), kMillionths));
}

Duration retry_delay(const RetryPolicy& policy, int attempt, const Digest& job) {
  return with_jitter(delay_by_formula(policy, attempt), policy.jitter, job, attempt);
}

std::optional<std::string> discard_reason(const RetryPolicy& policy, std::string_view error_class) {
  const std::string name = error_class.empty() ? "a failure without an error name"
                                               : "\"" + std::string(error_class) + "\"";
  if (matches_any(policy.discard_on, error_class)) return name + " is in discard_on";
  if (policy.retry_on.empty() || matches_any(policy.retry_on, error_class)) return std::nullopt;
  return name + " is not in retry_on";
}

}  // namespace penstock
