// Every command of the program. A new one is added to the list in commands.cc.
#pragma once

#include "cli/program/program.h"

namespace penstock {

void add_commands(Program& program);

}  // namespace penstock
