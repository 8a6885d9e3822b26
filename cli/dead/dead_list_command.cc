#include "cli/dead/dead_list_command.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "api/dead/dead_json.h"
#include "cli/dead/dead_selection.h"
#include "cli/program/table.h"
#include "cli/program/watch.h"
#include "cli/remote/json_text.h"
#include "topics/values/utf8.h"

namespace penstock {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kDefaultListed = 100, kMaxListedAtOnce = 1000;
constexpr const char* kMore = "There are more: give a larger --limit, or filters.";
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

std::string from_hex(const std::string& text) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2)
    bytes += static_cast<char>(std::strtol(text.substr(i, 2).c_str(), nullptr, 16));
  return bytes;
}

// Of api/dead/dead_json.h, here or from a worker.
std::optional<std::string> bytes_member(const Json& json, const std::string& name) {
  if (json.contains(name + "_hex")) return from_hex(text_member(json, (name + "_hex").c_str()));
  if (!json.contains(name) || json[name].is_null()) return std::nullopt;
  return text_of(json, name.c_str());
}

std::vector<Cell> dead_row(const Json& json) {
  const auto or_dash = [&json](const char* name) {
    const std::string text = text_of(json, name);
    return Cell{text.empty() ? "-" : text};
  };
  Cell reason = or_dash("reason");
  // A job that has run, or a record that never could.
  reason.colour = count_member(json, "attempts") > 0 ? Colour::kRed : Colour::kYellow;
  const std::string account = bytes_member(json, "account").value_or("");
  return {or_dash("at"),
          reason,
          or_dash("type"),
          {account.empty() ? "-" : account},
          or_dash("id"),
          {std::to_string(count_member(json, "attempts"))},
          {std::to_string(count_member(json, "bytes"))},
          {text_of(json, "partition") + "/" + text_of(json, "offset")},
          or_dash("detail")};
}

struct DeadList : Command {
  DeadSelection selection;
  Watch watch;

  DeadList() { selection.limit = kDefaultListed; }

  Exit run(Program& program) override {
    auto reach = find_reach(program, selection.worker);
    if (!reach) return program.usage_error(reach.error().message);
    if (const auto good = selection.filter(); !good)
      return program.usage_error(good.error().message);
    return watch.run(program, [&] {
      return reach->worker ? list_there(program, *reach->worker)
                           : list_in_kafka(program, reach->config);
    });
  }

 private:
  Exit list_in_kafka(Program& program, const Config& config) const {
    Exit exit = Exit::kFailed;
    auto topic = DeadTopic::open(program, config, selection, exit);
    if (!topic) return exit;
    Result<DeadPage> page;
    {
      // In a block of its own: the table's destructor writes the last rows, and notes follow them.
      Table table = new_table(program.output());
      page = topic->read(selection, [&](const DeadEntry& entry) -> Status {
        show(program.output(), table, dead_json(entry, selection.queue));
        return {};
      });
    }
    if (!page) return program.fail(page.error().message);
    note_rest(program.output(), *page, kMore);
    return Exit::kDone;
  }

  Exit list_there(Program& program, WorkerClient& worker) const {
    std::string after;
    int left = *selection.limit;
    {
      Table table = new_table(program.output());
      do {
        TargetQuery query = selection.query();
        query.add("after", after);
        query.add("limit", std::to_string(std::min(left, kMaxListedAtOnce)));
        const auto page = worker.get(queue_target(selection.queue, "/dead") + query.text());
        if (!page) return fail(program, page.error());
        for (const Json& record : array_member(*page, "dead")) {
          show(program.output(), table, record);
          --left;
        }
        after = text_member(*page, "after");
      } while (!after.empty() && left > 0);
    }
    if (!after.empty()) program.output().note(kMore);
    return Exit::kDone;
  }

  static Table new_table(Output& output) {
    return {output,
            {"AT", "REASON", "TYPE", "ACCOUNT", "ID", "ATTEMPTS", "BYTES", "PLACE", "DETAIL"}};
  }

  static void show(Output& output, Table& table, const Json& record) {
    if (output.is_json()) return output.json(record);
    table.add(dead_row(record), beginning_of(bytes_member(record, "value")));
  }
};

}  // namespace

void add_dead_list_command(Program& program, CLI::App& dead) {
  auto command = std::make_unique<DeadList>();
  DeadSelection& selection = command->selection;
  Watch& command_watch = command->watch;
  CLI::App& app = program.add_command(
      dead, "list", "List the records of a queue's dead topic, by partition and offset",
      std::move(command));
  selection.add_options(app);
  app.add_option("--limit", selection.limit, "Maximum number of records (default 100)")
      ->check(CLI::PositiveNumber)
      ->type_name("N");
  command_watch.add_option(app);
}

}  // namespace penstock
