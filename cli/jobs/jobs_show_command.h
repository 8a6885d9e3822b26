// `penstock jobs show ID` shows everything that a running worker knows about one job, and why it is
// not running.
#pragma once

#include "cli/program/program.h"

namespace penstock {

void add_jobs_show_command(Program& program, CLI::App& jobs);

}  // namespace penstock
