// `penstock work` runs a worker until SIGTERM.
#pragma once

#include "cli/program/program.h"

namespace penstock {

void add_work_command(Program& program);

}  // namespace penstock
