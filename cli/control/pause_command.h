// `penstock pause | resume QUEUE[/TYPE] [--account A]`: nothing of it starts until it is resumed;
// what runs goes on to its end. A record of the control topic, so it works whenever Kafka does and
// survives every restart.
#pragma once

#include "cli/program/program.h"

namespace penstock {

void add_pause_command(Program& program);
void add_resume_command(Program& program);
// `penstock pauses`: what is paused, as the control topic has it.
void add_pauses_command(Program& program);

}  // namespace penstock
