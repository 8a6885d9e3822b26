// `penstock dead list` lists the records of a queue's dead topic, which it reads itself.
#pragma once

#include "cli/program/program.h"

namespace penstock {

void add_dead_list_command(Program& program, CLI::App& dead);

}  // namespace penstock
