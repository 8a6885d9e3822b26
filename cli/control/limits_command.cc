#include "cli/control/limits_command.h"

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/control/control_list.h"
#include "cli/program/table.h"
#include "consumer/config/limit_table.h"
#include "consumer/worker/control_client.h"
#include "topics/values/whole_number.h"

namespace penstock {
namespace {

using Json = nlohmann::ordered_json;

std::string in_words(const std::optional<LimitOverride>& limit) {
  if (!limit) return "-";
  std::string text;
  if (limit->slots)
    text = std::to_string(*limit->slots) + (*limit->slots == 1 ? " slot" : " slots");
  if (limit->rate) {
    text += (text.empty() ? "" : ", ") + rate_text(*limit->rate) + " (burst " +
            std::to_string(limit->burst) + ")";
  }
  return text;
}

class LimitsList final : public ControlList {
  void show(Output& output, const Config& config, const Control& control) const override {
    Table table(output, {"LIMIT", "COUNTED", "CONFIGURED", "SET"});
    for (const auto& [name, limit] : limit_table(config, control)) {
      if (output.is_json()) {
        output.json(limit_json(name, limit));
      } else {
        const std::string counted = !limit.is_shared   ? "-"
                                    : *limit.is_shared ? "over all accounts"
                                                       : "an account";
        table.add({{name}, {counted}, {in_words(limit.configured)}, {in_words(limit.set)}});
      }
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

  Exit run(Program& program) override {
    const auto config = program.config_with_brokers();
    if (!config) return program.usage_error(config.error().message);
    if (const Status good = check_set_limit_name(name); !good)
      return program.usage_error(good.error().message);
    std::optional<LimitOverride> limit;
    if (sets) {
      const auto read = read_override();
      if (!read) return program.usage_error(read.error().message);
      limit = *read;
    }
    auto log = program.services().open_log(*config);
    if (!log) return program.fail(log.error().message);
    ControlClient client(**log, config->prefix);
    // Before the change, because the override that it replaces is reported.
    const Result<Control> before = client.read();
    if (!before) return program.fail(before.error().message);
    const auto value = limit ? std::optional(to_json(*limit)) : std::nullopt;
    const Status set = client.set(limit_key(name), value);
    if (!set) return program.fail(set.error().message);
    say(program.output(), limit, before->limit(name, name));
    // A config without queues does not say which limits there are.
    if (sets && !config->queues.empty() && !has_limit(*config, name)) warn(program.output());
    return Exit::kDone;
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

  // An override replaces the earlier one completely, so the earlier one is reported.
  void say(Output& output, const std::optional<LimitOverride>& limit,
           const std::optional<LimitOverride>& before) const {
    if (output.is_json()) {
      output.json({{"name", name}, {"set", limit_json(limit)}, {"before", limit_json(before)}});
      return;
    }
    const std::string was =
        before ? "; the previous override was " + in_words(before) : std::string();
    output.note(limit ? "Set \"" + name + "\" to " + in_words(limit) + was + "."
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
  program.add_command(limits, "list", "List the configured limits and their overrides",
                      std::make_unique<LimitsList>());
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
  auto reset = std::make_unique<LimitsChange>(false);
  LimitsChange& reset_added = *reset;
  CLI::App& reset_app =
      program.add_command(limits, "reset", "Restore what the configuration says", std::move(reset));
  reset_app.add_option("NAME", reset_added.name, "The name that was set")->required();
}

}  // namespace penstock
