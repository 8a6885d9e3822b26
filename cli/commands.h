// Registers every command of the program. A new command must be added to the list in commands.cc.
#pragma once

#include "cli/program/program.h"

namespace penstock {

void add_commands(Program& program);

}  // namespace penstock
