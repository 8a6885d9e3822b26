// `penstock dead resend` sends the records of a queue's dead topic back to the queue, as they are or
// as a program repairs them. A running worker is asked about dead jobs, but none is needed.
#pragma once

#include "cli/program/program.h"

namespace penstock {

void add_dead_resend_command(Program& program, CLI::App& dead);

}  // namespace penstock
