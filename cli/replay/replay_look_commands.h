// penstock replay list / show
#pragma once

#include "cli/program/program.h"

namespace penstock {

void add_replay_list_command(Program& program, CLI::App& replay);
void add_replay_show_command(Program& program, CLI::App& replay);

}  // namespace penstock
