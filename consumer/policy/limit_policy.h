// A limit: a maximum number of running attempts, a maximum rate of starts, or both, under a name
// (docs/limits.md). An immutable value that has been validated.
#pragma once

#include <cstddef>
#include <optional>

#include "consumer/policy/limit_name.h"
#include "consumer/policy/rate.h"

namespace penstock {

inline constexpr std::size_t kMaxLimitsOfType = 8;
// With the concurrency of a replay, which its copies have in addition.
inline constexpr std::size_t kMaxLimitsOfJob = kMaxLimitsOfType + 1;
inline constexpr int kMaxSlots = 1'000'000;

// At least one of slots and rate is set.
struct LimitPolicy {
  LimitName name;
  std::optional<int> slots = {};  // 0 halts
  std::optional<Rate> rate = {};
  int burst = 1;  // of the rate

  // A local limit is counted within the partition; any other is shared by the whole group.
  [[nodiscard]] bool is_local() const { return name.has(LimitName::Part::kAccount); }
  // Whether the name contains arguments of the job.
  [[nodiscard]] bool is_by_arguments() const { return name.has(LimitName::Part::kArgument); }
  friend bool operator==(const LimitPolicy&, const LimitPolicy&) = default;
};

}  // namespace penstock
