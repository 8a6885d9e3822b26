// A list that a running worker gives page by page, shown up to --limit: `jobs list`, `bulks`. What
// the worker does not hold is said on standard error. For one thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/jobs/job_selection.h"
#include "cli/program/program.h"
#include "cli/program/table.h"

namespace penstock {

class PagedList : public Command {
 public:
  static constexpr int kDefaultLimit = 100;

  JobSelection selection;
  int limit = kDefaultLimit;

  [[nodiscard]] Exit run(Program& program) final;
  // --limit; the others are the command's to add.
  void add_limit_option(CLI::App& app);

 protected:
  [[nodiscard]] virtual std::vector<std::string> titles() const = 0;
  [[nodiscard]] virtual FromWorker<JobPage> page(WorkerClient& worker, std::string_view after,
                                                 int size) const = 0;
  virtual void show(Output& output, Table& table, const JobJson& element) const = 0;

 private:
  [[nodiscard]] FromWorker<void> show_all(Output& output, WorkerClient& worker) const;
};

}  // namespace penstock
