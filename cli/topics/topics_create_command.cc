#include "cli/topics/topics_create_command.h"

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/topics/topic_selection.h"
#include "topics/topic_check.h"

namespace penstock {
namespace {

struct TopicsCreate : TopicsCommand {
  Exit run_on(Program& program, ChosenTopics& topics) override {
    const auto changes = ensure_topics(*topics.log, topics.specs);
    if (!changes) return program.fail(changes.error().message);
    Output& output = program.output();
    for (const std::string& change : *changes) {
      output.is_json() ? output.json({{"change", change}}) : output.line(change);
    }
    if (changes->empty()) output.note("Nothing to do: every topic is configured correctly.");
    return Exit::kDone;
  }
};

}  // namespace

void add_topics_create_command(Program& program, CLI::App& topics) {
  add_topics_subcommand(program, topics, "create",
                        "Create the topics of queues and repair their settings",
                        std::make_unique<TopicsCreate>());
}

}  // namespace penstock
