// `penstock dev`: the embedded log, the worker and a way in for jobs, in one process that needs
// nothing else. It keeps everything under the config's state_dir and goes on from there.
#pragma once

#include "cli/program/program.h"

namespace penstock {

void add_dev_command(Program& program);

}  // namespace penstock
