// `penstock top`: queues, accounts, failures and workers, live in a terminal.
#pragma once

#include "cli/program/program.h"

namespace penstock {

void add_top_command(Program& program);

}  // namespace penstock
