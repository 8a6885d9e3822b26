// `penstock jobs`: look at jobs and change them.
#pragma once

#include "cli/program/program.h"

namespace penstock {

void add_jobs_command(Program& program);

}  // namespace penstock
