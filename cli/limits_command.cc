#include "cli/limits_command.h"

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/table.h"
#include "consumer/limit_table.h"
#include "consumer/worker/control_client.h"

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

Json in_json(const std::optional<LimitOverride>& limit) {
  return limit ? Json::parse(to_json(*limit)) : Json(nullptr);
}

struct LimitsList : Command {
  Exit run(Program& program) override {
    const auto config = program.config_with_brokers();
    if (!config) return program.usage_error(config.error().message);
    auto log = program.services().open_log(*config);
    if (!log) return program.fail(log.error().message);
    const Result<Control> control = ControlClient(**log, config->prefix).read();
    if (!control) return program.fail(control.error().message);
    Table table(program.output(), {"LIMIT", "COUNTED", "CONFIGURED", "SET"});
    for (const auto& [name, limit] : limit_table(*config, *control)) {
      if (program.output().is_json()) {
        const Json is_shared = limit.is_shared ? Json(*limit.is_shared) : Json(nullptr);
        program.output().json({{"name", name},
                               {"shared", is_shared},
                               {"configured", in_json(limit.configured)},
                               {"set", in_json(limit.set)}});
      } else {
        const std::string counted = !limit.is_shared   ? "-"
                                    : *limit.is_shared ? "over all accounts"
                                                       : "an account";
        table.add({{name}, {counted}, {in_words(limit.configured)}, {in_words(limit.set)}});
      }
    }
    return Exit::kDone;
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
    std::optional<std::string> value;
    if (sets) {
      const auto read = read_override();
      if (!read) return program.usage_error(read.error().message);
      value = to_json(*read);
    }
    auto log = program.services().open_log(*config);
    if (!log) return program.fail(log.error().message);
    const Status set = ControlClient(**log, config->prefix).set(limit_key(name), value);
    if (!set) return program.fail(set.error().message);
    if (program.output().is_json()) {
      program.output().json({{"name", name}, {"set", value ? Json::parse(*value) : Json(nullptr)}});
    } else {
      program.output().note(sets ? "Set \"" + name + "\"."
                                 : "Reset \"" + name + "\" to what the configuration says.");
    }
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
};

}  // namespace

void add_limits_command(Program& program) {
  CLI::App& limits = program.add_group("limits", "Look at limits, and set them at run time");
  program.add_command(limits, "list", "Every limit of the configuration, and what is set over it",
                      std::make_unique<LimitsList>());
  auto set = std::make_unique<LimitsChange>(true);
  LimitsChange& added = *set;
  CLI::App& set_app = program.add_command(
      limits, "set", "Set a limit, by its name as filled in or as written", std::move(set));
  set_app.add_option("NAME", added.name, "webhook/acme, or webhook/{account} for every account")
      ->required();
  set_app.add_option("SLOTS", added.slots, "At most so many at once; 0 halts");
  set_app.add_option("--rate", added.rate, "At most so often, such as 100/s");
  set_app.add_option("--burst", added.burst, "So many at once before the rate counts");
  auto reset = std::make_unique<LimitsChange>(false);
  LimitsChange& reset_added = *reset;
  CLI::App& reset_app =
      program.add_command(limits, "reset", "Back to what the configuration says", std::move(reset));
  reset_app.add_option("NAME", reset_added.name, "As it was set")->required();
}

}  // namespace penstock
