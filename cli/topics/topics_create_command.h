// `penstock topics create` creates missing topics and repairs settings; it is safe to repeat.
#pragma once

#include "cli/program/program.h"

namespace penstock {

void add_topics_create_command(Program& program, CLI::App& topics);

}  // namespace penstock
