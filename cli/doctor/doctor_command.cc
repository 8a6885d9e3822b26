#include "cli/doctor/doctor_command.h"

#include <functional>
#include <memory>

#include "cli/doctor/kafka_checks.h"
#include "cli/doctor/machine_checks.h"
#include "topics/names.h"

namespace penstock {
namespace {

struct DoctorCommand : Command {
  RemoteOptions remote;

  Exit run(Program& program) override {
    const auto config = program.config();
    if (!config) return program.usage_error(config.error().message);
    Output& output = program.output();
    int warnings = 0, problems = 0;
    // Shown as they come, because some take seconds.
    const auto tell = [&](const Findings& findings) {
      for (const Finding& finding : findings) {
        show(output, finding);
        warnings += finding.level == FindingLevel::kWarning ? 1 : 0;
        problems += finding.level == FindingLevel::kBad ? 1 : 0;
      }
      (void)output.flush();
    };
    tell({good("config", std::to_string(config->queues.size()) +
                             (config->queues.size() == 1 ? " queue" : " queues") + ", prefix \"" +
                             config->prefix + "\"")});
    if (const auto with_brokers = program.config_with_brokers(); with_brokers) {
      look_at_kafka(program, *with_brokers, tell);
    } else {
      tell({good("brokers",
                 "none are given, so nothing of Kafka was looked at (`penstock dev` "
                 "needs none; otherwise use --brokers)")});
    }
    tell(check_disk(*config));
    tell(check_state_directory(*config));
    tell(check_token(config->http));
    auto worker = worker_client(*config, remote);
    if (worker) {
      tell(check_worker(*worker));
    } else {
      tell({{"worker", FindingLevel::kWarning, worker.error().message, "no worker was asked",
             "name one with --http"}});
    }
    if (problems == 0) {
      output.note(warnings == 0 ? "All is well."
                                : "No problems; " + counted(warnings, "warning") + ".");
      return Exit::kDone;
    }
    return program.fail(counted(problems, "problem") +
                        (warnings > 0 ? " and " + counted(warnings, "warning") : ""));
  }

 private:
  static std::string counted(int count, const char* what) {
    return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
  }

  static void look_at_kafka(Program& program, const Config& config,
                            const std::function<void(const Findings&)>& tell) {
    std::vector<std::string> groups;
    for (const QueuePolicy& queue : config.queues)
      groups.push_back(QueueNames(config.prefix, queue.name).group());
    const auto found = program.services().inspect(config, groups);
    if (!found) {
      tell({{"brokers", FindingLevel::kBad, found.error().message,
             "no job can be sent, and no worker can run",
             "check --brokers (" + config.kafka.at("bootstrap.servers") +
                 "), the network, and the security settings in /kafka"}});
      return;
    }
    tell(check_brokers(*found));
    auto log = program.services().open_log(config);
    if (!log) {
      tell({{"topics", FindingLevel::kBad, log.error().message, "nothing can be said of them",
             "reach the brokers first"}});
      return;
    }
    tell(check_topics_of(config, **log));
    tell(check_groups(config, *found));
    const Time now = std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
    tell(check_clock(config, **log, *found, now));
  }
};

}  // namespace

void add_doctor_command(Program& program) {
  auto command = std::make_unique<DoctorCommand>();
  DoctorCommand& doctor = *command;
  CLI::App& app = program.add_command(
      program.root(), "doctor",
      "Look for what is wrong: brokers, topics, clocks, disk, state, workers, tokens",
      std::move(command));
  add_remote_options(app, doctor.remote);
}

}  // namespace penstock
