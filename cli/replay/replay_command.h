// penstock replay: reprocesses jobs that Kafka still holds. `replay --queue Q --from T` is short for
// `replay start`.
#pragma once

#include "cli/program/program.h"

namespace penstock {

void add_replay_command(Program& program);

}  // namespace penstock
