#include "cli/overview/workers_command.h"

#include <algorithm>
#include <memory>
#include <set>

#include "cli/overview/watched_list.h"
#include "cli/overview/worker_view.h"
#include "cli/remote/json_text.h"

namespace penstock {
namespace {

struct WorkersList final : WatchedList {
  std::vector<std::string> names;

 private:
  Exit list(Program& program, WorkerClient& worker) const override {
    const auto body = worker.get("/v1/workers");
    if (!body) return refuse(program, worker, body.error());
    Output& output = program.output();
    std::set<std::string> missing(names.begin(), names.end());
    {
      Table table(output, worker_titles());
      for (const JobJson& one : array_member(*body, "workers")) {
        if (!chosen(one, missing)) continue;
        output.is_json() ? output.json(one) : table.add(worker_row(one));
      }
    }
    for (const JobJson& silent : array_member(*body, "unanswered")) {
      output.note("No answer from " + printable(worker_name(silent)) + " at " +
                  printable(text_of(silent, "url")) + ": " + printable(text_of(silent, "reason")) +
                  ".");
    }
    if (missing.empty()) return Exit::kDone;
    return program.fail("there is no worker \"" + printable(*missing.begin()) +
                            "\"; `penstock workers` shows all of them",
                        Exit::kNotFound);
  }

  bool chosen(const JobJson& one, std::set<std::string>& missing) const {
    if (names.empty()) return true;
    bool is_chosen = false;
    for (const char* const member : {"id", "name"}) {
      const std::string name = text_of(one, member);
      if (std::find(names.begin(), names.end(), name) == names.end()) continue;
      missing.erase(name);
      is_chosen = true;
    }
    return is_chosen;
  }

  // A worker of an older version does not know the others.
  static Exit refuse(Program& program, const WorkerClient& worker, const WorkerError& error) {
    if (!error.not_found) return fail(program, error);
    return program.fail("the worker at " + worker.name() +
                        " is of a version that does not know the others: ask one of this version");
  }
};

}  // namespace

void add_workers_command(Program& program) {
  auto command = std::make_unique<WorkersList>();
  WorkersList& list = *command;
  CLI::App& app =
      program.add_command(program.root(), "workers",
                          "Show the workers of the group and their partitions", std::move(command));
  app.add_option("WORKER", list.names, "Only these, by name or id");
  list.add_options(app);
}

}  // namespace penstock
