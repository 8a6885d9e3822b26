// What the `topics` commands work on: the topics of the chosen queues, the shared topics, and the
// log that has them. Used from one thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/program/program.h"
#include "cli/remote/reach.h"
#include "topics/topic_specs.h"

namespace penstock {

struct ChosenTopics {
  std::unique_ptr<Log> log;
  std::vector<TopicSpec> specs;  // those of the queues in the config's order, then the shared ones
};

// A command of the group `topics`, with the positional arguments [QUEUE...].
class TopicsCommand : public Command {
 public:
  std::vector<std::string> queues;
  RemoteOptions worker;

  [[nodiscard]] Exit run(Program& program) final;

 protected:
  [[nodiscard]] virtual Exit run_on(Program& program, ChosenTopics& topics) = 0;
  // Where no brokers are given: `queues` are those of a running worker (docs/http.md).
  [[nodiscard]] virtual Exit run_there(Program& program,
                                       const std::vector<nlohmann::ordered_json>& queues);

 private:
  [[nodiscard]] Exit ask_worker(Program& program, WorkerClient& client);
};

CLI::App& add_topics_subcommand(Program& program, CLI::App& topics, const std::string& name,
                                const std::string& description,
                                std::unique_ptr<TopicsCommand> command);

}  // namespace penstock
