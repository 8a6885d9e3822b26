#include "cli/worker_flags.h"

#include <utility>

#include "topics/names.h"

namespace penstock {

void WorkerFlags::add_options(CLI::App& command) {
  command.add_option("--queue", queues_,
                     "Queue to work on, several times; all of the config without it");
  command.add_option("--concurrency", concurrency_, "Attempts at once in this process")
      ->check(CLI::Range(1, 100'000));
  command.add_option("--threads", threads_, "Loop threads a queue")->check(CLI::Range(1, 64));
  command.add_option("--handler", handlers_,
                     "TYPE=SPEC, several times; SPEC is http://..., exec:/path arg..., noop, "
                     "sleep:50ms, fail:0.1");
  command.add_option("--grace", grace_, "How long running attempts may go on after SIGTERM");
  command.add_option("--log", log_, "text or json")->check(CLI::IsMember({"text", "json"}));
}

Result<RuntimeOptions> WorkerFlags::read(Config config) const {
  RuntimeOptions options;
  options.config = std::move(config);
  options.concurrency = concurrency_;
  options.threads = threads_;
  const auto grace = parse_duration(grace_);
  if (!grace) return failure("--grace: " + grace.error().message);
  options.grace = *grace;
  if (Status status = read_handlers(options); !status) return tl::unexpected(status.error());
  if (Status status = choose_queues(options); !status) return tl::unexpected(status.error());
  return options;
}

Status WorkerFlags::read_handlers(RuntimeOptions& options) const {
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

// A queue that the config does not name is worked on with the defaults, so that trying out needs no
// file.
Status WorkerFlags::choose_queues(RuntimeOptions& options) const {
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

}  // namespace penstock
