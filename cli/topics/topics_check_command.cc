#include "cli/topics/topics_check_command.h"

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/topics/topic_selection.h"
#include "topics/topic_check.h"

namespace penstock {
namespace {

struct TopicsCheck : TopicsCommand {
  Exit run_on(Program& program, ChosenTopics& topics) override {
    const auto deviations = check_topics(*topics.log, topics.specs);
    if (!deviations) return program.fail(deviations.error().message);
    for (const Deviation& deviation : *deviations) show(program.output(), deviation);
    if (deviations->empty()) {
      program.output().note("Every topic is configured correctly.");
      return Exit::kDone;
    }
    return program.fail(summary(*deviations));
  }

  static void show(Output& output, const Deviation& deviation) {
    if (!output.is_json()) return output.line(to_string(deviation));
    output.json({{"topic", deviation.topic},
                 {"what", deviation.what},
                 {"endangers", deviation.endangers},
                 {"fix", deviation.fix},
                 {"fixable", deviation.fixable}});
  }

  static std::string summary(const std::vector<Deviation>& deviations) {
    std::size_t fixable = 0;
    for (const Deviation& deviation : deviations) fixable += deviation.fixable ? 1 : 0;
    const std::string count = std::to_string(deviations.size());
    const std::string found = count + (deviations.size() == 1 ? " deviation" : " deviations");
    if (fixable == deviations.size()) return found + ": `penstock topics create` fixes them all";
    return found + ", of which `penstock topics create` fixes " + std::to_string(fixable) +
           " once the others have been fixed";
  }
};

}  // namespace

void add_topics_check_command(Program& program, CLI::App& topics) {
  add_topics_subcommand(program, topics, "check",
                        "Report topics whose settings differ from what queues need",
                        std::make_unique<TopicsCheck>());
}

}  // namespace penstock
