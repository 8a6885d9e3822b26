// Text from outside on one line of a log or a terminal. Pure.
#pragma once

#include <string>
#include <string_view>

namespace penstock {

// With control characters as \n, \t or \x1b, and bytes that are not UTF-8 as \xff: an id must
// neither begin a line of its own nor move the cursor of whoever reads it.
[[nodiscard]] std::string printable(std::string_view text);

// In quotes, and printable; a quote or a backslash within has a backslash before it.
[[nodiscard]] std::string quoted_text(std::string_view text);

}  // namespace penstock
