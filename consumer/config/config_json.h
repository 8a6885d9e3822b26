// The text of a config file as a JSON value: `//` comments are left out, and a repeated member name
// is refused (JSON parsers keep one of them silently). Members keep the order of the file. Pure
// functions, safe from any thread; the parser's exceptions end here.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "topics/values/result.h"

namespace penstock {

inline constexpr std::size_t kMaxConfigBytes = 4 << 20;
inline constexpr std::size_t kMaxConfigDepth = 64;

[[nodiscard]] Result<nlohmann::ordered_json> parse_config_json(std::string_view text);

// `parent` and the member `name`, escaped as RFC 6901 asks ("~0" for "~", "~1" for "/").
[[nodiscard]] std::string member_pointer(std::string_view parent, std::string_view name);

}  // namespace penstock
