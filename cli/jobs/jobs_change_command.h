// `penstock jobs cancel`, `retry`, `reschedule` and `delete` send a command to the queue's topic for
// one job, or for each job that the filters select. Only the selection needs a running worker.
#pragma once

#include "cli/program/program.h"

namespace penstock {

void add_jobs_cancel_command(Program& program, CLI::App& jobs);
void add_jobs_retry_command(Program& program, CLI::App& jobs);
void add_jobs_reschedule_command(Program& program, CLI::App& jobs);
void add_jobs_delete_command(Program& program, CLI::App& jobs);

}  // namespace penstock
