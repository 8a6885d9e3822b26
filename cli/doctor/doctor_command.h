// `penstock doctor` looks at everything that a worker depends on, and says what is wrong, what that
// endangers, and what fixes it.
#pragma once

#include "cli/program/program.h"

namespace penstock {

void add_doctor_command(Program& program);

}  // namespace penstock
