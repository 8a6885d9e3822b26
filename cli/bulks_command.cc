#include "cli/bulks_command.h"

#include <algorithm>
#include <memory>

#include "cli/job_selection.h"
#include "cli/job_view.h"
#include "cli/table.h"

namespace penstock {
namespace {

// "37/100", of which so many died.
std::string ended_of(const JobJson& bulk) {
  std::uint64_t ended = 0;
  for (const char* const name : {"succeeded", "dead", "cancelled", "expired"}) {
    if (bulk.contains(name) && bulk[name].is_number_unsigned())
      ended += bulk[name].get<std::uint64_t>();
  }
  return std::to_string(ended) + "/" + text_of(bulk, "size");
}

struct BulksList : Command {
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
    Table table(output, {"BULK", "ACCOUNT", "ENDED", "RUNNING", "WAITING", "DEAD", "FIRST", "LAST",
                         "EXPECTED END"});
    std::string after;
    int left = limit;
    do {
      auto page = worker.bulks(selection.filter, after, std::min(left, WorkerClient::kMaxPage));
      if (!page) return tl::unexpected(page.error());
      for (const JobJson& bulk : page->jobs) show(output, table, bulk);
      left -= static_cast<int>(page->jobs.size());
      after = std::move(page->after);
    } while (!after.empty() && left > 0);
    return !after.empty();
  }

  static void show(Output& output, Table& table, const JobJson& bulk) {
    if (output.is_json()) return output.json(bulk);
    const std::string dead = text_of(bulk, "dead");
    const std::string done = text_of(bulk, "done");
    table.add({{text_of(bulk, "id")},
               {text_of(bulk, "account")},
               {ended_of(bulk), done.empty() ? std::nullopt : std::optional(Colour::kGreen)},
               {text_of(bulk, "running")},
               {text_of(bulk, "waiting")},
               {dead, dead == "0" ? std::nullopt : std::optional(Colour::kRed)},
               {text_of(bulk, "first")},
               {text_of(bulk, "last")},
               {done.empty() ? text_of(bulk, "estimated_end") : done}});
  }
};

}  // namespace

void add_bulks_command(Program& program) {
  auto command = std::make_unique<BulksList>();
  BulksList& list = *command;
  CLI::App& app = program.add_command(program.root(), "bulks", "How far the bulks of a queue are",
                                      std::move(command));
  add_job_options(app, list.selection);
  app.add_option("--limit", list.limit, "At most so many")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
}

}  // namespace penstock
