// `penstock jobs` shows and changes jobs.
#pragma once

#include "cli/program/program.h"

namespace penstock {

void add_jobs_command(Program& program);

}  // namespace penstock
