// Parses the text of a config file as JSON. `//` comments are removed, and a repeated member name
// is an error (JSON parsers silently keep one of the two). Members keep the order of the file. Pure
// functions, which may be called from any thread; no exception of the parser leaves them.
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

// The pointer of the member `name` of `parent`, escaped as in RFC 6901 ("~0" for "~", "~1" for
// "/").
[[nodiscard]] std::string member_pointer(std::string_view parent, std::string_view name);

}  // namespace penstock
