#include "cli/topics/topic_selection.h"

#include <iterator>
#include <utility>

#include "cli/program/queue_choice.h"

namespace penstock {
namespace {

Result<ChosenTopics> choose(const Services& services, const Config& config,
                            const std::vector<QueuePolicy>& queues) {
  auto log = services.open_log(config);
  if (!log) return tl::unexpected(log.error());
  const auto brokers = (*log)->broker_count();
  if (!brokers) return tl::unexpected(brokers.error());
  const int replication = replication_for(*brokers);
  ChosenTopics topics{.log = *std::move(log), .specs = {}};
  const auto append = [&topics](std::vector<TopicSpec> specs) {
    std::move(specs.begin(), specs.end(), std::back_inserter(topics.specs));
  };
  for (const QueuePolicy& queue : queues) {
    append(
        queue_topic_specs(QueueNames(config.prefix, queue.name), {queue.partitions, replication}));
  }
  append(shared_topic_specs(config.prefix, replication));
  return topics;
}

}  // namespace

Exit TopicsCommand::run(Program& program) {
  const auto config = program.config_with_brokers();
  if (!config) return program.usage_error(config.error().message);
  const auto chosen = chosen_queues(*config, queues);
  if (!chosen) return program.usage_error(chosen.error().message);
  auto topics = choose(program.services(), *config, *chosen);
  if (!topics) return program.fail(topics.error().message);
  return run_on(program, *topics);
}

CLI::App& add_topics_subcommand(Program& program, CLI::App& topics, const std::string& name,
                                const std::string& description,
                                std::unique_ptr<TopicsCommand> command) {
  TopicsCommand& added = *command;
  CLI::App& app = program.add_command(topics, name, description, std::move(command));
  app.add_option("QUEUE", added.queues, "The queues (by default every queue of the config file)");
  return app;
}

}  // namespace penstock
