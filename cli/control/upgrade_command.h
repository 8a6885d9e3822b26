// `penstock upgrade finish [QUEUE...]`: all workers run this version by now, so state may be
// written in its format (state/store/state_format.h). It writes records to the control topic.
#pragma once

#include "cli/program/program.h"

namespace penstock {

void add_upgrade_command(Program& program);

}  // namespace penstock
