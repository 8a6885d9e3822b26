#include "cli/dead/dead_list_command.h"

#include <memory>
#include <nlohmann/json.hpp>

#include "api/dead/dead_json.h"
#include "cli/dead/dead_selection.h"
#include "cli/program/table.h"
#include "topics/values/rfc3339.h"

namespace penstock {
namespace {

constexpr int kDefaultListed = 100;

struct DeadList : Command {
  DeadSelection selection;

  DeadList() { selection.limit = kDefaultListed; }

  Exit run(Program& program) override {
    Exit exit = Exit::kFailed;
    auto topic = DeadTopic::open(program, selection, exit);
    if (!topic) return exit;
    Output& output = program.output();
    Result<DeadPage> page;
    {
      // In a block of its own: the table's destructor writes the last rows, and notes follow them.
      Table table(output, {"AT", "REASON", "TYPE", "ACCOUNT", "ID", "ATTEMPTS", "BYTES", "PLACE",
                           "DETAIL"});
      page = topic->read(selection, [&](const DeadEntry& entry) -> Status {
        if (output.is_json()) {
          output.json(dead_json(entry, selection.queue));
        } else {
          table.add(row_of(entry));
        }
        return {};
      });
    }
    if (!page) return program.fail(page.error().message);
    note_rest(output, *page, "There are more: give a larger --limit, or filters.");
    return Exit::kDone;
  }

  static std::vector<Cell> row_of(const DeadEntry& entry) {
    const auto or_dash = [](const std::string& text) { return Cell{text.empty() ? "-" : text}; };
    return {{entry.at ? format_rfc3339(*entry.at) : "-"},
            {entry.reason.empty() ? "-" : entry.reason,
             entry.is_job() ? std::optional(Colour::kRed) : Colour::kYellow},
            or_dash(entry.type),
            or_dash(entry.key.value_or("")),
            or_dash(entry.id),
            {std::to_string(entry.attempts)},
            {std::to_string(entry.value ? entry.value->size() : 0)},
            {std::to_string(entry.partition) + "/" + std::to_string(entry.offset.value)},
            or_dash(entry.detail)};
  }
};

}  // namespace

void add_dead_list_command(Program& program, CLI::App& dead) {
  auto command = std::make_unique<DeadList>();
  DeadSelection& selection = command->selection;
  CLI::App& app = program.add_command(
      dead, "list", "List the records of a queue's dead topic, by partition and offset",
      std::move(command));
  selection.add_options(app);
  app.add_option("--limit", selection.limit, "Maximum number of records (default 100)")
      ->check(CLI::PositiveNumber)
      ->type_name("N");
}

}  // namespace penstock
