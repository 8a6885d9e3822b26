// `penstock queues [QUEUE...]` shows what a running worker knows about queues: jobs, rates, what
// waits and why.
#pragma once

#include "cli/program/program.h"

namespace penstock {

void add_queues_command(Program& program);

}  // namespace penstock
