// `penstock dev` runs the embedded log, a worker and an input for jobs in one process that needs
// nothing else. It stores everything under the config's state_dir and continues from there.
#pragma once

#include "cli/program/program.h"

namespace penstock {

void add_dev_command(Program& program);

}  // namespace penstock
