// `penstock jobs list` lists the jobs of a queue that the filters select, as reported by a running
// worker.
#pragma once

#include "cli/program/program.h"

namespace penstock {

void add_jobs_list_command(Program& program, CLI::App& jobs);

}  // namespace penstock
