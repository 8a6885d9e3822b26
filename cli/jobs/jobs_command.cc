#include "cli/jobs/jobs_command.h"

#include "cli/jobs/jobs_change_command.h"
#include "cli/jobs/jobs_list_command.h"
#include "cli/jobs/jobs_show_command.h"

namespace penstock {

void add_jobs_command(Program& program) {
  CLI::App& jobs =
      program.add_group("jobs", "List and show jobs; cancel, retry, reschedule or delete them");
  add_jobs_list_command(program, jobs);
  add_jobs_show_command(program, jobs);
  add_jobs_cancel_command(program, jobs);
  add_jobs_retry_command(program, jobs);
  add_jobs_reschedule_command(program, jobs);
  add_jobs_delete_command(program, jobs);
}

}  // namespace penstock
