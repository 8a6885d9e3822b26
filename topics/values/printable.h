// Text from outside, made safe for one line of a log or a terminal. Pure.
#pragma once

#include <string>
#include <string_view>

namespace penstock {

// Writes control characters as \n, \t or \x1b, and bytes that are not UTF-8 as \xff, so that an id
// can neither begin a new line nor move the reader's cursor.
[[nodiscard]] std::string printable(std::string_view text);

// In quotes and printable; a quote or backslash inside gets a backslash before it.
[[nodiscard]] std::string quoted_text(std::string_view text);

}  // namespace penstock
