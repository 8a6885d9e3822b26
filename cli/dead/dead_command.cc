#include "cli/dead/dead_command.h"

#include "cli/dead/dead_list_command.h"
#include "cli/dead/dead_resend_command.h"

namespace penstock {

void add_dead_command(Program& program) {
  CLI::App& dead = program.add_group(
      "dead", "List bad records and dead jobs, and send them back to their queue");
  add_dead_list_command(program, dead);
  add_dead_resend_command(program, dead);
}

}  // namespace penstock
