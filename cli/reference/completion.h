// Scripts that complete the program's commands, options and values in a shell. Pure.
#pragma once

#include <string>

#include "cli/reference/command_tree.h"

namespace penstock {

[[nodiscard]] std::string bash_completion(const CommandDoc& root);
[[nodiscard]] std::string zsh_completion(const CommandDoc& root);
[[nodiscard]] std::string fish_completion(const CommandDoc& root);

}  // namespace penstock
