// `penstock bulks` shows the progress of a queue's bulks, as reported by a running worker.
#pragma once

#include "cli/program/program.h"

namespace penstock {

void add_bulks_command(Program& program);

}  // namespace penstock
