#include "cli/control/limits_command.h"

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/control/control_list.h"
#include "cli/program/table.h"
#include "cli/remote/json_text.h"
#include "cli/remote/reach.h"
#include "consumer/config/limit_table.h"
#include "consumer/worker/control_client.h"
#include "topics/values/whole_number.h"

namespace penstock {
namespace {

using Json = nlohmann::ordered_json;

// Of what limit_json() or a worker has given; "-" for null.
std::string in_words(const Json& limit) {
  std::string text;
  const bool has_slots = limit.is_object() && limit.contains("slots") && limit["slots"].is_number();
  if (has_slots) text = text_of(limit, "slots") + (limit["slots"] == 1 ? " slot" : " slots");
  const std::string rate = text_member(limit, "rate");
  if (!rate.empty())
    text += (text.empty() ? "" : ", ") + rate + " (burst " + text_of(limit, "burst") + ")";
  return text.empty() ? "-" : text;
}

class LimitsList final : public ControlList {
  const char* name() const override { return "limits"; }

  Json rows(const Config& config, const Control& control) const override {
    Json rows = Json::array();
    for (const auto& [name, limit] : limit_table(config, control))
      rows.push_back(limit_json(name, limit));
    return rows;
  }

  // Only a worker can say how many slots are in use.
  void show(Output& output, const Json& rows) const override {
    const bool has_use =
        std::any_of(rows.begin(), rows.end(), [](const Json& row) { return row.contains("used"); });
    std::vector<std::string> titles{"LIMIT", "COUNTED", "CONFIGURED", "SET"};
    if (has_use) titles.insert(titles.end(), {"USED", "WAITING"});
    Table table(output, titles);
    for (const Json& row : rows) {
      const std::string shared = text_of(row, "shared");
      std::vector<Cell> cells{{text_of(row, "name")},
                              {shared.empty()     ? "-"
                               : shared == "true" ? "over all accounts"
                                                  : "an account"},
                              {in_words(row.value("configured", Json()))},
                              {in_words(row.value("set", Json()))}};
      for (const char* const name : {"used", "waiting"}) {
        const std::string text = text_of(row, name);
        if (has_use) cells.push_back({text.empty() ? "-" : text});
      }
      table.add(std::move(cells));
    }
  }
};

struct LimitsChange : Command {
  explicit LimitsChange(bool is_set) : sets(is_set) {}

  const bool sets;
  std::string name;
  std::optional<int> slots;
  std::string rate;
  std::optional<int> burst;

  RemoteOptions worker;

  Exit run(Program& program) override {
    if (const Status good = check_set_limit_name(name); !good)
      return program.usage_error(good.error().message);
    std::optional<LimitOverride> limit;
    if (sets) {
      const auto read = read_override();
      if (!read) return program.usage_error(read.error().message);
      limit = *read;
    }
    auto reach = find_reach(program, worker);
    if (!reach) return program.usage_error(reach.error().message);
    return reach->worker ? change_there(program, *reach->worker, limit)
                         : change_in_kafka(program, reach->config, limit);
  }

 private:
  [[nodiscard]] Result<LimitOverride> read_override() const {
    Json json = Json::object();
    if (slots) json["slots"] = *slots;
    if (!rate.empty()) json["rate"] = rate;
    if (burst) json["burst"] = *burst;
    if (!slots && rate.empty()) return failure("found neither a number of slots nor --rate");
    if (burst && rate.empty()) return failure("found --burst without --rate");
    return parse_limit_override(json.dump());
  }

  Exit change_in_kafka(Program& program, const Config& config,
                       const std::optional<LimitOverride>& limit) const {
    auto log = program.services().open_log(config);
    if (!log) return program.fail(log.error().message);
    ControlClient client(**log, config.prefix);
    // Before the change, because the override that it replaces is reported.
    const Result<Control> control = client.read();
    if (!control) return program.fail(control.error().message);
    const std::optional<LimitOverride> before = control->limit(name, name);
    // A config without queues does not say which limits there are.
    const bool known = config.queues.empty() || has_limit(config, name);
    if (!sets && !before && !known) return not_there(program);
    const auto value = limit ? std::optional(to_json(*limit)) : std::nullopt;
    const Status set = client.set(limit_key(name), value);
    if (!set) return program.fail(set.error().message);
    say(program.output(), limit_json(limit), limit_json(before));
    if (sets && !known) warn(program.output());
    return Exit::kDone;
  }

  Exit change_there(Program& program, WorkerClient& client,
                    const std::optional<LimitOverride>& limit) const {
    const auto listed = client.get("/v1/limits");
    if (!listed) return fail(program, listed.error());
    Json before;
    for (const Json& row : array_member(*listed, "limits")) {
      if (text_of(row, "name") == name) before = row.value("set", Json());
    }
    const auto answer = client.send(sets ? "PUT" : "DELETE", "/v1/limits/" + percent_encoded(name),
                                    limit ? limit_json(limit).dump() : "");
    if (!answer) return fail(program, answer.error());
    say(program.output(), answer->value("set", Json()), before);
    return Exit::kDone;
  }

  Exit not_there(Program& program) const {
    return program.fail("there is no limit \"" + printable(name) +
                            "\": none is set for this name, and the configuration has none with "
                            "it; `penstock limits list` shows both",
                        Exit::kNotFound);
  }

  // An override replaces the earlier one completely, so the earlier one is reported.
  void say(Output& output, const Json& limit, const Json& before) const {
    if (output.is_json()) return output.json({{"name", name}, {"set", limit}, {"before", before}});
    const std::string was =
        before.is_null() ? std::string() : "; the previous override was " + in_words(before);
    output.note(!limit.is_null() ? "Set \"" + name + "\" to " + in_words(limit) + was + "."
                                 : "Reset \"" + name + "\" to the configuration" + was + ".");
  }

  void warn(Output& output) const {
    output.note("The configuration has no limit with the name \"" + printable(name) +
                "\", as written or filled in, so nothing is limited by it; `penstock "
                "limits list` shows the configured names.");
  }
};

std::string whole_number_from(int least, int most, const std::string& text) {
  const auto number = whole_number<int>(text);
  if (number && *number >= least && *number <= most) return {};
  return "found \"" + printable(text) + "\", expected a whole number from " +
         std::to_string(least) + " to " + std::to_string(most);
}

}  // namespace

void add_limits_command(Program& program) {
  CLI::App& limits = program.add_group("limits", "List limits, and set them at run time");
  auto list = std::make_unique<LimitsList>();
  LimitsList& list_added = *list;
  list_added.add_options(program.add_command(
      limits, "list", "List the configured limits and their overrides", std::move(list)));
  auto set = std::make_unique<LimitsChange>(true);
  LimitsChange& added = *set;
  CLI::App& set_app = program.add_command(
      limits, "set",
      "Override a limit, by its name as filled in or as written; replaces any earlier override",
      std::move(set));
  set_app.add_option("NAME", added.name, "webhook/acme, or webhook/{account} for every account")
      ->required();
  set_app.add_option("SLOTS", added.slots, "Maximum number of running attempts; 0 halts")
      ->check([](const std::string& text) { return whole_number_from(0, kMaxSlots, text); });
  set_app.add_option("--rate", added.rate, "Maximum rate of starts, such as 100/s");
  set_app.add_option("--burst", added.burst, "How many may start at once before the rate counts")
      ->check([](const std::string& text) { return whole_number_from(1, kMaxBurst, text); });
  add_remote_options(set_app, added.worker, Asks::kWithoutBrokers);
  auto reset = std::make_unique<LimitsChange>(false);
  LimitsChange& reset_added = *reset;
  CLI::App& reset_app =
      program.add_command(limits, "reset", "Restore what the configuration says", std::move(reset));
  reset_app.add_option("NAME", reset_added.name, "The name that was set")->required();
  add_remote_options(reset_app, reset_added.worker, Asks::kWithoutBrokers);
}

}  // namespace penstock
