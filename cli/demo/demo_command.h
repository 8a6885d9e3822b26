// `penstock demo` plays the story of a noisy account and prints what happened, with measured
// numbers. The exit status is 0 only if all of its claims held.
#pragma once

#include "cli/program/program.h"

namespace penstock {

void add_demo_command(Program& program);

}  // namespace penstock
