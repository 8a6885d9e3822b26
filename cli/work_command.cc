#include "cli/work_command.h"

#include <string>
#include <vector>

#include "api/access.h"
#include "api/worker_api.h"
#include "cli/work_log.h"
#include "consumer/worker/runtime.h"
#include "consumer/worker/stop_signals.h"

namespace penstock {
namespace {

class WorkCommand final : public Command {
 public:
  [[nodiscard]] Exit run(Program& program) override;
  void add_options(CLI::App& command);

 private:
  [[nodiscard]] Status read_handlers(RuntimeOptions& options) const;
  [[nodiscard]] Status choose_queues(RuntimeOptions& options) const;

  std::vector<std::string> queues_;
  std::vector<std::string> handlers_;
  int concurrency_ = 100;
  int threads_ = 1;
  std::string instance_;
  std::string grace_ = "25s";
  std::string log_ = "text";
  std::string http_;
};

void WorkCommand::add_options(CLI::App& command) {
  command.add_option("--queue", queues_, "Queue to work on, several times; all of the config without it");
  command.add_option("--concurrency", concurrency_, "Attempts at once in this process")
      ->check(CLI::Range(1, 100'000));
  command.add_option("--threads", threads_, "Loop threads a queue")->check(CLI::Range(1, 64));
  command.add_option("--handler", handlers_,
                     "TYPE=SPEC, several times; SPEC is http://..., exec:/path arg..., noop, sleep:50ms, fail:0.1");
  command.add_option("--instance", instance_, "A name of its own in the group: static membership");
  command.add_option("--grace", grace_, "How long running attempts may go on after SIGTERM");
  command.add_option("--http", http_, "HOST:PORT to serve HTTP at instead of the config's, or off");
  command.add_option("--log", log_, "text or json")->check(CLI::IsMember({"text", "json"}));
}

Status WorkCommand::read_handlers(RuntimeOptions& options) const {
  for (const std::string& handler : handlers_) {
    const std::size_t equals = handler.find('=');
    if (equals == std::string::npos || equals == 0) {
      return failure("--handler " + handler + ": expected TYPE=SPEC");
    }
    auto spec = parse_handler_spec(std::string_view(handler).substr(equals + 1));
    if (!spec) return failure("--handler " + handler + ": " + spec.error().message);
    options.extra_types[handler.substr(0, equals)].handler = std::move(*spec);
  }
  return {};
}

// A queue that the config does not name is worked on with the defaults, so that trying out needs no file.
Status WorkCommand::choose_queues(RuntimeOptions& options) const {
  for (const std::string& name : queues_) {
    if (Status status = check_queue_name(options.config.prefix, name); !status) return status;
    if (options.config.queue(name)) continue;
    QueuePolicy policy;
    policy.name = name;
    options.config.queues.push_back(policy);
  }
  options.queues = queues_;
  return {};
}

Exit WorkCommand::run(Program& program) {
  auto config = program.config_with_brokers();
  if (!config) return program.usage_error(config.error().message);
  RuntimeOptions options;
  options.config = std::move(*config);
  options.concurrency = concurrency_;
  options.threads = threads_;
  options.instance = instance_;
  const auto grace = parse_duration(grace_);
  if (!grace) return program.usage_error("--grace: " + grace.error().message);
  options.grace = *grace;
  if (Status status = read_handlers(options); !status) return program.usage_error(status.error().message);
  if (Status status = choose_queues(options); !status) return program.usage_error(status.error().message);

  if (!http_.empty() && http_ != "off") options.config.http.listen = http_;
  if (Status status = check_http(options.config.http); !status) {
    return program.usage_error((http_.empty() ? "/http/listen: " : "--http: ") + status.error().message);
  }

  StopSignals signals;  // before any thread is made: they inherit the mask
  WorkLog log(log_ == "json");
  auto brokers = program.services().open_log(options.config);
  if (!brokers) return program.fail(brokers.error().message);
  const ProducerSink::Make producer = kafka_producer(options.config);
  Runtime runtime(std::move(options), std::move(*brokers), log.sink());
  if (Status status = runtime.open(); !status) return program.fail(status.error().message);
  std::unique_ptr<WorkerApi> api;
  if (http_ != "off") {
    auto started = WorkerApi::start(runtime, producer);
    // Several workers of one machine may share a config file: the first has its address.
    if (!started && !http_.empty()) return program.fail("--http: " + started.error().message);
    log.write(started ? "info" : "warning",
              started ? "HTTP at " + (*started)->url() : "without HTTP: " + started.error().message);
    if (started) api = *std::move(started);
  }
  signals.on_first([&runtime] { runtime.stop(); });
  const int status = runtime.run([&log] { log.write("info", "ready"); });
  signals.on_first([] {});  // the runtime goes before the signals do
  return static_cast<Exit>(status);
}

}  // namespace

void add_work_command(Program& program) {
  auto command = std::make_unique<WorkCommand>();
  WorkCommand& work = *command;
  work.add_options(program.add_command(program.root(), "work", "Run jobs, until SIGTERM", std::move(command)));
}

}  // namespace penstock
