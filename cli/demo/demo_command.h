// `penstock demo`: plays the story of a noisy account and prints what happened, with every number
// measured. Ends with 0 only when all that it claims held.
#pragma once

#include "cli/program/program.h"

namespace penstock {

void add_demo_command(Program& program);

}  // namespace penstock
