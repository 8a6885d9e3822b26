// A list that a running worker returns page by page, shown up to --limit: `jobs list`, `bulks`. A
// note on standard error names the partitions that the worker does not own. Used from one thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/jobs/job_selection.h"
#include "cli/program/program.h"
#include "cli/program/table.h"
#include "cli/program/watch.h"

namespace penstock {

class PagedList : public Command {
 public:
  static constexpr int kDefaultLimit = 100;

  JobSelection selection;
  int limit = kDefaultLimit;

  [[nodiscard]] Exit run(Program& program) final;
  // Adds --limit and --watch; the command adds its other options itself.
  void add_list_options(CLI::App& app);

 protected:
  [[nodiscard]] virtual std::vector<std::string> titles() const = 0;
  [[nodiscard]] virtual FromWorker<JobPage> page(WorkerClient& worker, std::string_view after,
                                                 int size) const = 0;
  virtual void show(Output& output, Table& table, const JobJson& element) const = 0;

 private:
  Watch watch_;

  [[nodiscard]] FromWorker<void> show_all(Output& output, WorkerClient& worker) const;
};

}  // namespace penstock
