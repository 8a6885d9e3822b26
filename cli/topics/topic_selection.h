// What the `topics` commands work on: the topics of the chosen queues, the shared ones among them,
// and the log that has them. For one thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/program/program.h"
#include "topics/topic_specs.h"

namespace penstock {

struct ChosenTopics {
  std::unique_ptr<Log> log;
  std::vector<TopicSpec> specs;  // the queues' in the order of the config, then the shared ones
};

// A command of the group `topics`, with the positional [QUEUE...].
class TopicsCommand : public Command {
 public:
  std::vector<std::string> queues;

  [[nodiscard]] Exit run(Program& program) final;

 protected:
  [[nodiscard]] virtual Exit run_on(Program& program, ChosenTopics& topics) = 0;
};

CLI::App& add_topics_subcommand(Program& program, CLI::App& topics, const std::string& name,
                                const std::string& description,
                                std::unique_ptr<TopicsCommand> command);

}  // namespace penstock
