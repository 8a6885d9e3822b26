// All limits that the configuration defines or an operator has set, as shown by `limits list` and
// GET /v1/limits. Pure.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "consumer/config/config.h"
#include "consumer/control/control.h"

namespace penstock {

struct LimitEntry {
  // Absent: a name as filled in, or one that no type uses any more.
  std::optional<LimitOverride> configured;
  std::optional<LimitOverride> set;  // absent: not overridden
  // whether the whole group shares it; known for a name as written
  std::optional<bool> is_shared = {};
};

// By name: as written in the configuration, and as set by operators.
[[nodiscard]] std::map<std::string, LimitEntry> limit_table(const Config& config,
                                                            const Control& control);
// {"name","shared","configured","set"}.
[[nodiscard]] nlohmann::ordered_json limit_json(const std::string& name, const LimitEntry& entry);
// In the form of a request to set it; null if there is none.
[[nodiscard]] nlohmann::ordered_json limit_json(const std::optional<LimitOverride>& limit);

// Whether jobs of this configuration may use a limit with this name, as written or as filled in.
[[nodiscard]] bool has_limit(const Config& config, std::string_view name);

}  // namespace penstock
