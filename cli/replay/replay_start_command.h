// penstock replay start
#pragma once

#include "cli/program/program.h"

namespace penstock {

// `penstock replay`, which with options alone is `replay start`; its name may then be left out.
CLI::App& add_replay_short_form(Program& program);
void add_replay_start_command(Program& program, CLI::App& replay);

}  // namespace penstock
