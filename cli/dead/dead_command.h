// `penstock dead list | resend` shows what is in a queue's dead topic, and sends it back.
#pragma once

#include "cli/program/program.h"

namespace penstock {

void add_dead_command(Program& program);

}  // namespace penstock
