#include "cli/work/worker_flags.h"

#include <algorithm>
#include <utility>

#include "consumer/worker/places.h"
#include "topics/names.h"
#include "topics/values/whole_number.h"

namespace penstock {
namespace {

std::vector<std::string_view> parts_of(std::string_view list, char between) {
  std::vector<std::string_view> parts;
  for (std::size_t from = 0;;) {
    const std::size_t to = list.find(between, from);
    parts.push_back(list.substr(from, to - from));
    if (to == list.npos) return parts;
    from = to + 1;
  }
}

std::optional<int> number_in(std::string_view text, int most) {
  const auto number = whole_number<int>(text);
  return number && *number >= 1 && *number <= most ? number : std::nullopt;
}

}  // namespace

void WorkerFlags::add_options(CLI::App& command) {
  command.add_option(
      "--queue", queues_,
      "Queue to work on; may be repeated, or a:3,b:1 with weights; default: all in the config");
  command.add_flag("--strict", strict_,
                   "Give each place to the first queue in --queue that has a job for it");
  command.add_option("--concurrency", concurrency_,
                     "Running attempts in this process; QUEUE=N (may be repeated): of one queue");
  command.add_option("--threads", threads_, "Loop threads per queue")
      ->check(CLI::Range(1, kMaxLoopThreads));
  command.add_option("--handler", handlers_,
                     "TYPE=SPEC (may be repeated); SPEC is http://..., exec:/path arg..., noop, "
                     "sleep:50ms, fail:0.1");
  command.add_option("--grace", grace_, "How long running attempts may continue after SIGTERM");
  command.add_option("--log", log_, "text or json")->check(CLI::IsMember({"text", "json"}));
}

Result<RuntimeOptions> WorkerFlags::read(Config config) const {
  RuntimeOptions options;
  options.config = std::move(config);
  options.threads = threads_;
  const auto grace = parse_duration(grace_);
  if (!grace) return failure("--grace: " + grace.error().message);
  options.grace = *grace;
  if (Status status = read_handlers(options); !status) return tl::unexpected(status.error());
  // Before the concurrency, whose QUEUE=N must name one of the chosen queues.
  if (Status status = choose_queues(options); !status) return tl::unexpected(status.error());
  if (Status status = read_concurrency(options); !status) return tl::unexpected(status.error());
  if (Status status = check_options(options); !status) return tl::unexpected(status.error());
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

// A queue that is not in the config runs with the defaults, so that experiments need no file.
Status WorkerFlags::choose_queues(RuntimeOptions& options) const {
  for (const std::string& list : queues_) {
    for (const std::string_view text : parts_of(list, ',')) {
      if (Status status = choose_queue(text, options); !status) return status;
    }
  }
  options.strict = strict_;
  if (!strict_) return {};
  if (options.queues.size() < 2) {
    return failure(
        "--strict: expected --queue with two or more queues in order, such as "
        "--queue a,b");
  }
  if (!options.shares.empty()) {
    return failure("--strict: found weights in --queue, expected only names, whose order decides");
  }
  return {};
}

Status WorkerFlags::choose_queue(std::string_view text, RuntimeOptions& options) const {
  const std::size_t colon = text.find(':');
  const std::string name(text.substr(0, colon));
  if (Status status = check_queue_name(options.config.prefix, name); !status) return status;
  const bool again =
      std::find(options.queues.begin(), options.queues.end(), name) != options.queues.end();
  if (again)
    return failure("--queue: found \"" + name + "\" a second time, expected each queue once");
  if (colon != text.npos) {
    const auto weight = number_in(text.substr(colon + 1), Places::kMaxWeight);
    if (!weight) {
      return failure("--queue " + std::string(text) + ": expected a weight from 1 to " +
                     std::to_string(Places::kMaxWeight) + " after the colon");
    }
    options.shares[name].weight = *weight;
  }
  options.queues.push_back(name);
  if (options.config.queue(name)) return {};
  QueuePolicy policy;
  policy.name = name;
  options.config.queues.push_back(policy);
  return {};
}

Status WorkerFlags::read_concurrency(RuntimeOptions& options) const {
  for (const std::string& text : concurrency_) {
    const std::size_t equals = text.find('=');
    const auto number = number_in(
        std::string_view(text).substr(equals == text.npos ? 0 : equals + 1), kMaxConcurrency);
    if (!number) {
      return failure("--concurrency " + text + ": expected a number from 1 to " +
                     std::to_string(kMaxConcurrency) + ", or QUEUE=N");
    }
    if (equals == text.npos) {
      options.concurrency = *number;
      continue;
    }
    const std::string queue = text.substr(0, equals);
    const bool works_on = options.queues.empty()
                              ? options.config.queue(queue) != nullptr
                              : std::find(options.queues.begin(), options.queues.end(), queue) !=
                                    options.queues.end();
    if (!works_on)
      return failure("--concurrency " + text + ": this worker does not run the queue \"" + queue +
                     "\"");
    options.shares[queue].concurrency = *number;
  }
  return {};
}

}  // namespace penstock
