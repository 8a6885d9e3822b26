#include "cli/jobs/jobs_list_command.h"

#include <memory>

#include "cli/jobs/job_view.h"
#include "cli/jobs/paged_list.h"

namespace penstock {
namespace {

class JobsList : public PagedList {
 protected:
  [[nodiscard]] std::vector<std::string> titles() const override { return job_titles(); }
  [[nodiscard]] FromWorker<JobPage> page(WorkerClient& worker, std::string_view after,
                                         int size) const override {
    return worker.list(selection.filter, after, size);
  }
  void show(Output& output, Table& table, const JobJson& job) const override {
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
  list.add_list_options(app);
}

}  // namespace penstock
