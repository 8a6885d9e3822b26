#include "cli/overview/queues_command.h"

#include <memory>

#include "cli/overview/queue_view.h"
#include "cli/overview/watched_list.h"
#include "cli/remote/json_text.h"

namespace penstock {
namespace {

struct QueuesList final : WatchedList {
  std::vector<std::string> queues;

 private:
  Exit list(Program& program, WorkerClient& worker) const override {
    std::vector<JobJson> found;
    if (queues.empty()) {
      const auto all = worker.get("/v1/queues");
      if (!all) return fail(program, all.error());
      for (const JobJson& queue : array_member(*all, "queues")) found.push_back(queue);
    }
    for (const std::string& name : queues) {
      auto queue = worker.get(queue_target(name));
      if (!queue) return fail(program, queue.error());
      found.push_back(*std::move(queue));
    }
    Output& output = program.output();
    Table table(output, queue_titles());
    for (const JobJson& queue : found)
      output.is_json() ? output.json(queue) : table.add(queue_row(queue));
    return Exit::kDone;
  }
};

}  // namespace

void add_queues_command(Program& program) {
  auto command = std::make_unique<QueuesList>();
  QueuesList& list = *command;
  CLI::App& app =
      program.add_command(program.root(), "queues",
                          "Show queues: jobs, rates, and what waits for what", std::move(command));
  app.add_option("QUEUE", list.queues, "The queues (by default, all of the worker's)");
  list.add_options(app);
}

}  // namespace penstock
