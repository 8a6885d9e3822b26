#include "cli/work/work_command.h"

#include <string>
#include <utility>

#include "cli/work/work_log.h"
#include "cli/work/worker_flags.h"
#include "cli/work/worker_http.h"
#include "consumer/worker/in_place/stop_signals.h"
#include "consumer/worker/in_place/supervisor.h"

namespace penstock {
namespace {

class WorkCommand final : public Command {
 public:
  [[nodiscard]] Exit run(Program& program) override;
  void add_options(CLI::App& command);

 private:
  WorkerFlags flags_;
  WorkerHttp http_;
  std::string instance_;
  bool supervise_ = false;
};

void WorkCommand::add_options(CLI::App& command) {
  flags_.add_options(command);
  http_.add_option(command);
  command.add_option("--instance", instance_,
                     "A name that is unique in the group, for static membership");
  command.add_flag("--supervise", supervise_,
                   "Start the worker again whenever it crashes; needs --instance");
}

Exit WorkCommand::run(Program& program) {
  auto config = program.config_with_brokers();
  if (!config) return program.usage_error(config.error().message);
  auto options = flags_.read(*std::move(config));
  if (!options) return program.usage_error(options.error().message);
  if (supervise_ && instance_.empty()) {
    return program.usage_error(
        "--supervise: expected --instance NAME as well. Without a name, the group keeps a crashed "
        "worker's partitions for a session timeout before it gives them to the next one");
  }
  options->instance = instance_;
  if (const Status status = http_.apply(*options); !status) {
    return program.usage_error(status.error().message);
  }

  if (supervise_) {  // while the process has one thread
    WorkLog log(flags_.json_log());
    if (const auto ended = supervise(log.sink())) return static_cast<Exit>(*ended);
  }
  // Before any thread is started: threads inherit the blocked signals, and those that existed
  // before could be interrupted.
  StopSignals signals(supervise_ ? kPassedOnWithin : std::chrono::milliseconds(0));
  WorkLog log(flags_.json_log());
  auto brokers = program.services().open_log(options->config);
  if (!brokers) return program.fail(brokers.error().message);
  // Copies what it needs, because the options are about to be moved.
  const ProducerSink::Make producer = kafka_producer(options->config);
  Runtime runtime(*std::move(options), std::move(*brokers), log.sink());
  if (Status status = runtime.open(); !status) return program.fail(status.error().message);
  // Declared after the runtime, so that it is destroyed first: its threads use the loops.
  const auto api = http_.start(runtime, producer, log);
  if (!api) return program.fail(api.error().message);
  signals.on_first([&runtime] { runtime.stop(); });
  const int status = runtime.run([&log] { log.write("info", "ready"); });
  signals.on_first([] {});  // the runtime is destroyed before the signals
  return static_cast<Exit>(status);
}

}  // namespace

void add_work_command(Program& program) {
  auto command = std::make_unique<WorkCommand>();
  WorkCommand& work = *command;
  work.add_options(
      program.add_command(program.root(), "work", "Run jobs until SIGTERM", std::move(command)));
}

}  // namespace penstock
