// `penstock config check` reads the config as a worker does, and prints what is in force.
#pragma once

#include "cli/program/program.h"

namespace penstock {

void add_config_command(Program& program);

}  // namespace penstock
