// `penstock bulks`: how far the bulks of a queue are, asked of a running worker.
#pragma once

#include "cli/program/program.h"

namespace penstock {

void add_bulks_command(Program& program);

}  // namespace penstock
