#include "cli/topics/topic_selection.h"

#include <iterator>
#include <utility>

#include "cli/program/queue_choice.h"
#include "cli/remote/json_text.h"

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
  auto reach = find_reach(program, worker);
  if (!reach) return program.usage_error(reach.error().message);
  if (reach->worker) return ask_worker(program, *reach->worker);
  const auto chosen = chosen_queues(reach->config, queues);
  if (!chosen) return fail(program, chosen.error());
  auto topics = choose(program.services(), reach->config, *chosen);
  if (!topics) return program.fail(topics.error().message);
  return run_on(program, *topics);
}

Exit TopicsCommand::ask_worker(Program& program, WorkerClient& client) {
  std::vector<nlohmann::ordered_json> found;
  if (queues.empty()) {
    const auto all = client.get("/v1/queues");
    if (!all) return fail(program, all.error());
    for (const auto& queue : array_member(*all, "queues")) found.push_back(queue);
  }
  for (const std::string& name : queues) {
    auto queue = client.get(queue_target(name));
    if (!queue) return fail(program, queue.error());
    found.push_back(*std::move(queue));
  }
  program.output().note("No brokers are given, so the worker at " + client.name() + " was asked.");
  return run_there(program, found);
}

// A worker that runs has its topics, and has compared them.
Exit TopicsCommand::run_there(Program& program, const std::vector<nlohmann::ordered_json>& found) {
  const std::string these = std::to_string(found.size());
  program.output().note("It runs " + these + (found.size() == 1 ? " queue" : " queues") +
                        ", whose topics it has found or made (as `penstock dev` does at each "
                        "start): nothing to do. To see the topics in Kafka, use --brokers.");
  return Exit::kDone;
}

CLI::App& add_topics_subcommand(Program& program, CLI::App& topics, const std::string& name,
                                const std::string& description,
                                std::unique_ptr<TopicsCommand> command) {
  TopicsCommand& added = *command;
  CLI::App& app = program.add_command(topics, name, description, std::move(command));
  app.add_option("QUEUE", added.queues, "The queues (by default every queue of the config file)");
  add_remote_options(app, added.worker, Asks::kWithoutBrokers);
  return app;
}

}  // namespace penstock
