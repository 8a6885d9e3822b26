// `penstock topics` creates, checks and shows the topics of queues.
#pragma once

#include "cli/program/program.h"

namespace penstock {

void add_topics_command(Program& program);

}  // namespace penstock
