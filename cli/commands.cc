#include "cli/commands.h"

#include "cli/jobs_command.h"

namespace penstock {

void add_commands(Program& program) { add_jobs_command(program); }

}  // namespace penstock
