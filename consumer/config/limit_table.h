// Every limit that a configuration has or an operator has set, beside each other: what `limits
// list` and GET /v1/limits show. Pure.
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
  std::optional<LimitOverride>
      configured;  // absent: a name as filled in, or one that no type has any more
  std::optional<LimitOverride> set;    // absent: what the configuration says
  std::optional<bool> is_shared = {};  // over all accounts; known of a name as written
};

// By name: as written in the configuration, and as it was set.
[[nodiscard]] std::map<std::string, LimitEntry> limit_table(const Config& config,
                                                            const Control& control);
// {"name","shared","configured","set"}.
[[nodiscard]] nlohmann::ordered_json limit_json(const std::string& name, const LimitEntry& entry);
// As in a request to set it; null where there is nothing.
[[nodiscard]] nlohmann::ordered_json limit_json(const std::optional<LimitOverride>& limit);

// Whether jobs of this configuration may come to a limit of this name, as written or as filled in.
[[nodiscard]] bool has_limit(const Config& config, std::string_view name);

}  // namespace penstock
