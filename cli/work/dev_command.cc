#include "cli/work/dev_command.h"

#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "cli/enqueue/enqueue_lines.h"
#include "cli/enqueue/stoppable_input.h"
#include "cli/work/local_worker.h"
#include "cli/work/work_log.h"
#include "cli/work/worker_flags.h"
#include "cli/work/worker_http.h"
#include "consumer/worker/in_place/stop_signals.h"

namespace penstock {
namespace {

constexpr const char* kDefaultQueue = "default";
// After a crash, a worker waits until its own old lease has ended. A short lease is safe here,
// because the log is in the same process: no network delays commits, and there are no other clocks.
constexpr LeaseRules kDevLease{.lease = std::chrono::seconds(5),
                               .broker_skew = std::chrono::nanoseconds(0)};

class DevCommand final : public Command {
 public:
  [[nodiscard]] Exit run(Program& program) override;
  void add_options(CLI::App& command);

 private:
  [[nodiscard]] Result<RuntimeOptions> read_options(const Program& program) const;
  [[nodiscard]] Exit run_worker(Program& program, LocalWorker& worker, StoppableInput* input,
                                WorkLog& log) const;

  WorkerFlags flags_;
  WorkerHttp http_;
  std::string from_;
};

void DevCommand::add_options(CLI::App& command) {
  flags_.add_options(command);
  http_.add_option(command);
  command.add_option("--from", from_,
                     "JSON lines to enqueue, each with its account; - is standard input");
}

Result<RuntimeOptions> DevCommand::read_options(const Program& program) const {
  auto config = program.config();
  if (!config) return tl::unexpected(config.error());
  // `penstock dev` works without a config file.
  if (!flags_.names_queues() && config->queues.empty()) {
    QueuePolicy queue;
    queue.name = kDefaultQueue;
    config->queues.push_back(queue);
  }
  auto options = flags_.read(*std::move(config));
  if (!options) return options;
  if (const Status status = http_.apply(*options); !status) return tl::unexpected(status.error());
  options->lease = kDevLease;
  const auto count =
      options->queues.empty() ? options->config.queues.size() : options->queues.size();
  if (!from_.empty() && count != 1) {
    return failure("found --from and " + std::to_string(count) +
                   " queues, expected one: name it with --queue");
  }
  return options;
}

Exit DevCommand::run(Program& program) {
  auto options = read_options(program);
  if (!options) return program.usage_error(options.error().message);
  std::unique_ptr<StoppableInput> input;
  if (!from_.empty()) {
    auto opened = StoppableInput::open(from_);
    if (!opened) return program.usage_error(opened.error().message);
    input = *std::move(opened);
  }
  // Before any thread is started: threads inherit the blocked signals, and those that existed
  // before could be interrupted.
  StopSignals signals;
  WorkLog log(flags_.json_log());
  auto worker = LocalWorker::open_embedded_in(*std::move(options), log.sink());
  if (!worker) return program.fail(worker.error().message);
  const auto api = http_.start((*worker)->runtime(), (*worker)->make_producer(), log);
  if (!api) return program.fail(api.error().message);
  signals.on_first([&] {
    if (input) input->stop();
    (*worker)->runtime().stop();
  });
  const Exit exit = run_worker(program, **worker, input.get(), log);
  signals.on_first([] {});  // nothing is left to stop
  return exit;
}

// Another thread reads the lines, and the worker continues when they have ended.
Exit DevCommand::run_worker(Program& program, LocalWorker& worker, StoppableInput* input,
                            WorkLog& log) const {
  Runtime& runtime = worker.runtime();
  Exit lines_exit = Exit::kDone;
  std::jthread lines;
  const int status = runtime.run([&] {
    log.write("info", "ready; everything is in " + runtime.options().config.state_dir);
    if (!input) return;
    lines = std::jthread([&] {
      const auto& options = runtime.options();
      const std::string queue =
          options.queues.empty() ? options.config.queues.front().name : options.queues.front();
      LineEnqueuer enqueuer(worker.producer(), program.output(), queue);
      enqueuer.on_stop([input] { return input->stopped(); });
      lines_exit = enqueuer.run(input->stream(), std::nullopt);
    });
  });
  // The thread may be waiting for input that never comes.
  if (input) input->stop();
  if (lines.joinable()) lines.join();
  return status == 0 ? lines_exit : static_cast<Exit>(status);
}

}  // namespace

void add_dev_command(Program& program) {
  auto command = std::make_unique<DevCommand>();
  DevCommand& dev = *command;
  dev.add_options(program.add_command(program.root(), "dev",
                                      "Run a log and a worker in one process; needs no Kafka",
                                      std::move(command)));
}

}  // namespace penstock
