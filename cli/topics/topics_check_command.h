// `penstock topics check`: says what deviates from what Penstock needs, what that endangers and how
// it is mended; exit status 1 when anything does.
#pragma once

#include "cli/program/program.h"

namespace penstock {

void add_topics_check_command(Program& program, CLI::App& topics);

}  // namespace penstock
