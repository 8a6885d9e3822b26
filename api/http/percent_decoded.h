// The text that a %-encoded one stands for (RFC 3986, section 2.1). Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace penstock {

// Empty if a "%" is not followed by two hexadecimal digits. In a query, a "+" is a space; in a path
// it is a plus sign.
[[nodiscard]] std::optional<std::string> percent_decoded(std::string_view text, bool plus_is_space);

}  // namespace penstock
