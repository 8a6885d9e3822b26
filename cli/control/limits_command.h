// `penstock limits list | set NAME … | reset NAME` shows the configured limits and sets overrides
// at run time. An override is a record in the control topic and takes effect everywhere within a
// second.
#pragma once

#include "cli/program/program.h"

namespace penstock {

void add_limits_command(Program& program);

}  // namespace penstock
