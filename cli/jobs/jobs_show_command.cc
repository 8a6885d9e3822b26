#include "cli/jobs/jobs_show_command.h"

#include <memory>

#include "cli/jobs/job_selection.h"
#include "cli/jobs/job_view.h"

namespace penstock {
namespace {

struct JobsShow : Command {
  JobSelection selection;

  Exit run(Program& program) override {
    const auto config = program.config();
    if (!config) return program.usage_error(config.error().message);
    auto worker = worker_client(*config, selection.worker);
    if (!worker) return program.usage_error(worker.error().message);
    const auto found = find_job(*worker, selection);
    if (!found) return program.fail(found.error().message, exit_of(found.error()));
    show(program.output(), *found->job);
    if (!found->not_here.empty()) {
      program.output().note("Another account may also have a job with this ID: " +
                            not_here_text(*worker, selection.filter.queue,
                                          {found->not_here.begin(), found->not_here.end()}) +
                            ".");
    }
    return Exit::kDone;
  }

  static void show(Output& output, const JobJson& job) {
    if (output.is_json()) return output.json(job_object(job));
    for (const std::string& line : job_lines(job)) output.line(line);
  }
};

}  // namespace

void add_jobs_show_command(Program& program, CLI::App& jobs) {
  auto command = std::make_unique<JobsShow>();
  JobsShow& show = *command;
  CLI::App& app = program.add_command(jobs, "show", "Show one job", std::move(command));
  app.add_option("ID", show.selection.id, "The job")->required();
  add_job_options(app, show.selection);
}

}  // namespace penstock
