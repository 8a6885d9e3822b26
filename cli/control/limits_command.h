// `penstock limits list | set NAME … | reset NAME`: limits as the configuration has them, and what
// is set over them at run time (records of the control topic, in force everywhere within a second).
#pragma once

#include "cli/program/program.h"

namespace penstock {

void add_limits_command(Program& program);

}  // namespace penstock
