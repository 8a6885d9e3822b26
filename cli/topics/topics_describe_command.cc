#include "cli/topics/topics_describe_command.h"

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/program/table.h"
#include "cli/remote/json_text.h"
#include "cli/topics/topic_selection.h"

namespace penstock {
namespace {

using Json = nlohmann::ordered_json;

// The present values of the settings that Penstock sets.
std::vector<TopicProperty> settings_shown(const TopicSpec& spec, const TopicDescription& found) {
  std::vector<TopicProperty> shown;
  for (const TopicProperty& given : settings_of(spec).config) {
    const auto it =
        std::find_if(found.config.begin(), found.config.end(),
                     [&given](const TopicProperty& has) { return has.name == given.name; });
    if (it != found.config.end()) shown.push_back(*it);
  }
  return shown;
}

struct TopicsDescribe : TopicsCommand {
  Exit run_on(Program& program, ChosenTopics& topics) override {
    Table table(program.output(), {"TOPIC", "PARTITIONS", "REPLICATION", "SETTINGS"});
    for (const TopicSpec& spec : topics.specs) {
      const auto found = topics.log->describe(spec.name);
      if (!found) return program.fail(found.error().message);
      if (program.output().is_json()) {
        program.output().json(object(spec, *found));
      } else {
        table.add(row(spec, *found));
      }
    }
    return Exit::kDone;
  }

  Exit run_there(Program& program, const std::vector<Json>& found) override {
    Table table(program.output(), {"QUEUE", "PARTITIONS", "PHASES"});
    for (const Json& queue : found) {
      if (program.output().is_json()) {
        program.output().json({{"queue", text_of(queue, "queue")},
                               {"partitions", count_member(queue, "partitions")},
                               {"phases", object_member(queue, "phases")}});
      } else {
        table.add({{text_of(queue, "queue")},
                   {text_of(queue, "partitions")},
                   {counts_by_name(object_member(queue, "phases"))}});
      }
    }
    return Exit::kDone;
  }

  static std::vector<Cell> row(const TopicSpec& spec, const TopicDescription& found) {
    if (!found.exists) return {{spec.name}, {"-"}, {"-"}, {"does not exist", Colour::kRed}};
    std::string settings;
    for (const TopicProperty& setting : settings_shown(spec, found)) {
      settings += (settings.empty() ? "" : " ") + setting.name + "=" + setting.value;
    }
    return {{spec.name},
            {std::to_string(found.partitions)},
            {std::to_string(found.replication)},
            {settings}};
  }

  static Json object(const TopicSpec& spec, const TopicDescription& found) {
    Json settings = Json::object();
    for (const TopicProperty& setting : settings_shown(spec, found))
      settings[setting.name] = setting.value;
    return {{"topic", spec.name},
            {"exists", found.exists},
            {"partitions", found.partitions},
            {"replication", found.replication},
            {"settings", settings}};
  }
};

}  // namespace

void add_topics_describe_command(Program& program, CLI::App& topics) {
  add_topics_subcommand(program, topics, "describe",
                        "Show the topics of queues as they are in Kafka",
                        std::make_unique<TopicsDescribe>());
}

}  // namespace penstock
