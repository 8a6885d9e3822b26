#include "cli/commands.h"

#include "cli/bench_command.h"
#include "cli/check/config_command.h"
#include "cli/control/limits_command.h"
#include "cli/control/pause_command.h"
#include "cli/control/upgrade_command.h"
#include "cli/dead/dead_command.h"
#include "cli/demo/demo_command.h"
#include "cli/doctor/doctor_command.h"
#include "cli/enqueue/enqueue_command.h"
#include "cli/jobs/bulks_command.h"
#include "cli/jobs/jobs_command.h"
#include "cli/overview/accounts_command.h"
#include "cli/overview/queues_command.h"
#include "cli/overview/workers_command.h"
#include "cli/reference/reference_commands.h"
#include "cli/replay/replay_command.h"
#include "cli/top/top_command.h"
#include "cli/topics/topics_command.h"
#include "cli/work/dev_command.h"
#include "cli/work/work_command.h"

namespace penstock {

void add_commands(Program& program) {
  add_topics_command(program);
  add_enqueue_command(program);
  add_queues_command(program);
  add_workers_command(program);
  add_accounts_command(program);
  add_top_command(program);
  add_jobs_command(program);
  add_bulks_command(program);
  add_dead_command(program);
  add_replay_command(program);
  add_limits_command(program);
  add_pause_command(program);
  add_resume_command(program);
  add_pauses_command(program);
  add_upgrade_command(program);
  add_config_command(program);
  add_doctor_command(program);
  add_work_command(program);
  add_bench_command(program);
  add_dev_command(program);
  add_demo_command(program);
  add_completion_command(program);
  add_man_command(program);
}

}  // namespace penstock
