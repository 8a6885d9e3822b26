#include "consumer/worker/runtime_options.h"

#include <algorithm>

#include "consumer/handlers/http/webhook_signature.h"
#include "consumer/policy/duration.h"

namespace penstock {
namespace {

Status check_range(const std::string& name, int value, int most) {
  if (value >= 1 && value <= most) return {};
  return failure(name + ": found " + std::to_string(value) + ", expected 1 to " +
                 std::to_string(most));
}

Status check_numbers(const RuntimeOptions& options) {
  if (Status status = check_range("concurrency", options.concurrency, kMaxConcurrency); !status)
    return status;
  for (const auto& [queue, share] : options.shares) {
    if (!share.concurrency) continue;
    const std::string name = "concurrency of the queue \"" + queue + "\"";
    if (Status status = check_range(name, *share.concurrency, kMaxConcurrency); !status)
      return status;
  }
  if (Status status = check_range("loop threads", options.threads, kMaxLoopThreads); !status)
    return status;
  if (options.grace >= Duration{0} && options.grace <= kMaxDuration) return {};
  return failure("grace: found " + std::to_string(options.grace.count()) +
                 " ms, expected 0 ms to 100 years");
}

Status check_queues(const RuntimeOptions& options) {
  for (auto name = options.queues.begin(); name != options.queues.end(); ++name) {
    if (options.config.queue(*name) == nullptr) {
      return failure("queues: found \"" + *name + "\", expected the name of a queue in the config");
    }
    if (std::find(options.queues.begin(), name, *name) != name) {
      return failure("queues: found \"" + *name + "\" a second time, expected each queue once");
    }
  }
  return {};
}

Status check_secret(const std::optional<HandlerSpec>& handler) {
  const auto* const http = handler ? std::get_if<HttpHandler>(&*handler) : nullptr;
  if (http == nullptr || http->secret_file.empty()) return {};
  const auto keys = load_secrets(http->secret_file);
  return keys ? Status() : tl::unexpected(keys.error());
}

bool works_on_queue(const RuntimeOptions& options, const std::string& name) {
  const auto& wanted = options.queues;
  return wanted.empty() || std::find(wanted.begin(), wanted.end(), name) != wanted.end();
}

Status check_secrets(const RuntimeOptions& options) {
  for (const QueuePolicy& queue : options.config.queues) {
    if (!works_on_queue(options, queue.name)) continue;
    for (const auto& [type, policy] : queue.types) {
      // A C++ function takes the place of the configured handler, whose secret is then not needed.
      if (options.functions.contains(type) || options.extra_types.contains(type)) continue;
      if (Status status = check_secret(policy.handler); !status) return status;
    }
  }
  return {};
}

}  // namespace

Status check_options(const RuntimeOptions& options) {
  if (Status status = check_numbers(options); !status) return status;
  if (!options.functions.empty()) {
    const Status threads =
        check_range("handler threads", options.handler_threads, kMaxHandlerThreads);
    if (!threads) return threads;
  }
  if (Status status = check_queues(options); !status) return status;
  // Last, because it reads files. A secret that cannot be read is reported at the start and not at
  // the first job.
  return check_secrets(options);
}

}  // namespace penstock
