// `penstock topics check` reports what differs from the settings that Penstock needs, what that
// endangers and how to fix it. The exit status is 1 if anything differs.
#pragma once

#include "cli/program/program.h"

namespace penstock {

void add_topics_check_command(Program& program, CLI::App& topics);

}  // namespace penstock
