// penstock replay pause / resume / cancel / delete
#pragma once

#include "cli/program/program.h"

namespace penstock {

void add_replay_pause_command(Program& program, CLI::App& replay);
void add_replay_resume_command(Program& program, CLI::App& replay);
void add_replay_cancel_command(Program& program, CLI::App& replay);
void add_replay_delete_command(Program& program, CLI::App& replay);

}  // namespace penstock
