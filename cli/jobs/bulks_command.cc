#include "cli/jobs/bulks_command.h"

#include <memory>

#include "cli/jobs/job_view.h"
#include "cli/jobs/paged_list.h"

namespace penstock {
namespace {

// Such as "37/100", with the number of dead chunks.
std::string ended_of(const JobJson& bulk) {
  std::uint64_t ended = 0;
  for (const char* const name : {"succeeded", "dead", "cancelled", "expired"}) {
    if (bulk.contains(name) && bulk[name].is_number_unsigned())
      ended += bulk[name].get<std::uint64_t>();
  }
  return std::to_string(ended) + "/" + text_of(bulk, "size");
}

class BulksList : public PagedList {
 protected:
  [[nodiscard]] std::vector<std::string> titles() const override {
    return {"BULK", "ACCOUNT", "ENDED", "RUNNING",     "WAITING",
            "DEAD", "FIRST",   "LAST",  "EXPECTED END"};
  }
  [[nodiscard]] FromWorker<JobPage> page(WorkerClient& worker, std::string_view after,
                                         int size) const override {
    return worker.bulks(selection.filter, after, size);
  }
  void show(Output& output, Table& table, const JobJson& bulk) const override {
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
  CLI::App& app = program.add_command(program.root(), "bulks",
                                      "Show the progress of a queue's bulks", std::move(command));
  add_job_options(app, list.selection);
  list.add_list_options(app);
}

}  // namespace penstock
