// The manual page penstock(1), in roff with the macros of man(7). Pure.
#pragma once

#include <string>
#include <string_view>

#include "cli/reference/command_tree.h"

namespace penstock {

[[nodiscard]] std::string man_page(const CommandDoc& root, std::string_view version);

}  // namespace penstock
