// `penstock workers [WORKER...]` shows the workers of the group and their partitions.
#pragma once

#include "cli/program/program.h"

namespace penstock {

void add_workers_command(Program& program);

}  // namespace penstock
