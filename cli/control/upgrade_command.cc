#include "cli/control/upgrade_command.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cli/program/queue_choice.h"
#include "cli/remote/json_text.h"
#include "cli/remote/reach.h"
#include "consumer/worker/control_client.h"
#include "topics/names.h"

namespace penstock {
namespace {

struct UpgradeFinish : Command {
  std::vector<std::string> queues;

  RemoteOptions worker;

  Exit run(Program& program) override {
    auto reach = find_reach(program, worker);
    if (!reach) return program.usage_error(reach.error().message);
    return reach->worker ? finish_there(program, *reach->worker)
                         : finish_in_kafka(program, reach->config);
  }

 private:
  Exit finish_in_kafka(Program& program, const Config& config) const {
    const auto chosen = chosen_queues(config, queues);
    if (!chosen) return fail(program, chosen.error());
    auto log = program.services().open_log(config);
    if (!log) return program.fail(log.error().message);
    ControlClient client(**log, config.prefix);
    for (const QueuePolicy& queue : *chosen) {
      const auto format = client.finish_upgrade(queue.name);
      if (!format) return program.fail(format.error().message);
      say(program.output(), queue.name, *format);
    }
    // The shared limits' state belongs to all queues.
    if (!queues.empty()) return Exit::kDone;
    const auto format = client.finish_upgrade(kSlotsQueue);
    return format ? Exit::kDone : program.fail(format.error().message);
  }

  // POST /v1/upgrade, with or without ?queue=.
  Exit finish_there(Program& program, WorkerClient& client) const {
    for (const std::string& queue : queues.empty() ? std::vector<std::string>{""} : queues) {
      TargetQuery query;
      query.add("queue", queue);
      const auto answer = client.send("POST", "/v1/upgrade" + query.text());
      if (!answer) return refuse(program, client, answer.error());
      for (const auto& finished : array_member(*answer, "queues"))
        say(program.output(), text_of(finished, "queue"),
            static_cast<std::uint32_t>(count_member(finished, "format")));
    }
    return Exit::kDone;
  }

  static Exit refuse(Program& program, const WorkerClient& client, const WorkerError& error) {
    const bool unknown = error.not_found && error.message.find("queue") == std::string::npos;
    if (!unknown) return fail(program, error);
    return program.fail(
        "the worker at " + client.name() +
        " cannot do this over HTTP: use --brokers. (`penstock dev` needs no upgrade "
        "to be finished: it is the only worker of its queues.)");
  }

  static void say(Output& output, const std::string& queue, std::uint32_t format) {
    if (output.is_json()) {
      output.json({{"op", "upgrade finish"}, {"queue", queue}, {"format", format}});
      return;
    }
    output.note("The state of queue \"" + queue + "\" is written in format " +
                std::to_string(format) +
                " from now on: versions that do not know it cannot take it over.");
  }
};

}  // namespace

void add_upgrade_command(Program& program) {
  CLI::App& upgrade = program.add_group("upgrade", "Finish a rolling upgrade");
  auto finish = std::make_unique<UpgradeFinish>();
  UpgradeFinish& added = *finish;
  CLI::App& app = program.add_command(
      upgrade, "finish",
      "Every worker runs this version: write state in its format, after which there is no way back",
      std::move(finish));
  app.add_option("QUEUE", added.queues, "By default every queue of the config, and shared limits");
  add_remote_options(app, added.worker, Asks::kWithoutBrokers);
}

}  // namespace penstock
