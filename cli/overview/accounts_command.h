// `penstock accounts top` shows the accounts with the most jobs waiting or running.
#pragma once

#include "cli/program/program.h"

namespace penstock {

void add_accounts_command(Program& program);

}  // namespace penstock
