// At most so many at once, or so often, under a name (SPEC section 5, `limits`): a value, checked
// before it gets here.
#pragma once

#include <cstddef>
#include <optional>

#include "consumer/policy/limit_name.h"
#include "consumer/policy/rate.h"

namespace penstock {

inline constexpr std::size_t kMaxLimitsOfType = 8;
inline constexpr int kMaxSlots = 1'000'000;

// At least one of slots and rate is there.
struct LimitPolicy {
  LimitName name;
  std::optional<int> slots = {};  // 0 halts
  std::optional<Rate> rate = {};
  int burst = 1;  // of the rate

  // Counted in the partition; any other is shared by the whole group.
  [[nodiscard]] bool is_local() const { return name.has(LimitName::Part::kAccount); }
  // Its name is filled in with arguments of the job.
  [[nodiscard]] bool is_by_arguments() const { return name.has(LimitName::Part::kArgument); }
  friend bool operator==(const LimitPolicy&, const LimitPolicy&) = default;
};

}  // namespace penstock
