// `penstock completion bash|zsh|fish` and `penstock man`, both printed for other programs to read.
#pragma once

#include "cli/program/program.h"

namespace penstock {

void add_completion_command(Program& program);
void add_man_command(Program& program);

}  // namespace penstock
