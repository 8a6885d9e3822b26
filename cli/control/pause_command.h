// `penstock pause | resume QUEUE[/TYPE] [--account A]`: nothing starts while the pause is in force;
// running attempts continue to their end. A pause is a record in the control topic, so it works
// whenever Kafka does and survives every restart.
#pragma once

#include "cli/program/program.h"

namespace penstock {

void add_pause_command(Program& program);
void add_resume_command(Program& program);
// `penstock pauses` lists the pauses in the control topic.
void add_pauses_command(Program& program);

}  // namespace penstock
