#include "consumer/retry.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace penstock {
namespace {

// The finaliser of SplitMix64 (Steele, Lea, Flood 2014): every bit of the input changes half of the output.
std::uint64_t mix(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15ULL;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
  return value ^ (value >> 31);
}

// In [-1, 1).
double jitter_of(const Digest& job, int attempt) {
  const std::uint64_t hash = mix(job.low ^ mix(job.high + static_cast<std::uint64_t>(attempt)));
  return static_cast<double>(hash >> 11) * 0x1.0p-52 - 1.0;
}

}  // namespace

Duration retry_delay(const RetryPolicy& policy, int attempt, const Digest& job) {
  const auto base = static_cast<double>(policy.base.count());
  const auto max = static_cast<double>(policy.max.count());
  const double grown = policy.backoff == Backoff::kFixed
                           ? base
                           : base * std::pow(policy.factor, std::max(0, attempt - 1));
  const double wait = std::min(max, grown) * (1.0 + policy.jitter * jitter_of(job, attempt));
  return Duration{static_cast<std::int64_t>(std::max(0.0, wait))};
}

}  // namespace penstock
