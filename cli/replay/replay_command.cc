#include "cli/replay/replay_command.h"

#include <memory>

#include "cli/replay/replay_change_commands.h"
#include "cli/replay/replay_look_commands.h"
#include "cli/replay/replay_start_command.h"

namespace penstock {

void add_replay_command(Program& program) {
  CLI::App& replay = add_replay_short_form(program);
  add_replay_start_command(program, replay);
  add_replay_list_command(program, replay);
  add_replay_show_command(program, replay);
  add_replay_pause_command(program, replay);
  add_replay_resume_command(program, replay);
  add_replay_cancel_command(program, replay);
  add_replay_delete_command(program, replay);
}

}  // namespace penstock
