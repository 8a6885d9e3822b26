#include "cli/jobs_list_command.h"

#include <algorithm>
#include <memory>

#include "cli/job_selection.h"
#include "cli/job_view.h"

namespace penstock {
namespace {

struct JobsList : Command {
  JobSelection selection;
  int limit = kDefaultLimit;

  Exit run(Program& program) override {
    const auto config = program.config();
    if (!config) return program.usage_error(config.error().message);
    auto worker = worker_client(*config, selection.http);
    if (!worker) return program.usage_error(worker.error().message);
    const auto more = show_all(program.output(), *worker);
    if (!more) return program.fail(more.error().message);
    if (*more) program.output().note("There are more: give a greater --limit.");
    return Exit::kDone;
  }

  // Returns whether there are more than `limit`.
  Result<bool> show_all(Output& output, WorkerClient& worker) const {
    Table table(output, job_titles());
    std::string after;
    int left = limit;
    do {
      auto page = worker.list(selection.filter, after, std::min(left, WorkerClient::kMaxPage));
      if (!page) return tl::unexpected(page.error());
      for (const JobJson& job : page->jobs) show(output, table, job);
      left -= static_cast<int>(page->jobs.size());
      after = std::move(page->after);
    } while (!after.empty() && left > 0);
    return !after.empty();
  }

  static void show(Output& output, Table& table, const JobJson& job) {
    if (output.is_json()) {
      output.json(job_object(job));
    } else {
      table.add(job_row(job));
    }
  }
};

}  // namespace

void add_jobs_list_command(Program& program, CLI::App& jobs) {
  auto command = std::make_unique<JobsList>();
  JobsList& list = *command;
  CLI::App& app = program.add_command(jobs, "list", "List jobs", std::move(command));
  add_job_options(app, list.selection);
  add_filter_options(app, list.selection);
  app.add_option("--limit", list.limit, "At most so many")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
}

}  // namespace penstock
