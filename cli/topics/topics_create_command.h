// `penstock topics create`: makes what is missing and mends what can be mended; safe to repeat.
#pragma once

#include "cli/program/program.h"

namespace penstock {

void add_topics_create_command(Program& program, CLI::App& topics);

}  // namespace penstock
