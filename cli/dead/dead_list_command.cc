#include "cli/dead/dead_list_command.h"

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "api/dead/dead_json.h"
#include "cli/dead/dead_selection.h"
#include "cli/program/table.h"
#include "topics/values/rfc3339.h"
#include "topics/values/utf8.h"

namespace penstock {
namespace {

constexpr int kDefaultListed = 100;
constexpr std::size_t kShownColumns = 120;  // of a value

// The first character, or the first byte if it begins none.
std::string_view first_character(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const std::size_t size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  const std::string_view character = text.substr(0, size);
  return is_utf8(character) ? character : text.substr(0, 1);
}

// The beginning of a value as text; bytes that are none are in hexadecimal, as \xff.
std::string beginning_of(const std::optional<std::string>& value) {
  if (!value) return "(no value)";
  if (value->empty()) return "(empty)";
  std::string shown;
  std::size_t columns = 0;
  for (std::string_view rest = *value; !rest.empty();) {
    const std::string_view next = first_character(rest);
    const std::string text = printable(next);
    columns += text == next ? 1 : text.size();
    if (columns > kShownColumns) return shown + "...";
    shown += text;
    rest.remove_prefix(next.size());
  }
  return shown;
}

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
          table.add(row_of(entry), beginning_of(entry.value));
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
