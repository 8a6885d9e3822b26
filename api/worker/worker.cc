// penstock::Worker: a complete worker process on Kafka, with handlers in C++.
#include "penstock/worker.h"

#include <cstdio>
#include <mutex>
#include <optional>
#include <utility>

#include "api/server/access.h"
#include "api/server/token_files.h"
#include "api/worker_api.h"
#include "consumer/config/config_json.h"
#include "consumer/worker/in_place/stop_signals.h"
#include "consumer/worker/runtime.h"
#include "topics/kafka/kafka_log.h"
#include "topics/values/printable.h"
#include "topics/values/rfc3339.h"

namespace penstock {
namespace {

constexpr int kFailed = 1, kBadConfig = 2;

void write_log(std::string_view level, const std::string& text) {
  const Time now = std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
  const std::string line = format_rfc3339(now) + " " + std::string(level) + " " + printable(text) +
                           "\n";  // one call, so that lines are not mixed up
  std::fputs(line.c_str(), stderr);
}

void write_audit(const std::string& line) { std::fputs((line + "\n").c_str(), stderr); }

int fail(int status, const std::string& reason) {
  write_log("error", reason);
  return status;
}

}  // namespace

struct Worker::Impl {
  WorkerOptions options;
  HandlerTable handlers;

  [[nodiscard]] Result<RuntimeOptions> runtime_options() const {
    auto config = load_config(options.config);
    if (!config) return tl::unexpected(config.error());
    if (const auto bad = find_bad_property(config->kafka)) {
      return failure(options.config + ": " + member_pointer("/kafka", bad->name) + ": " +
                     bad->message);
    }
    if (!options.brokers.empty()) config->kafka["bootstrap.servers"] = options.brokers;
    if (!config->kafka.contains("bootstrap.servers")) {
      return failure(options.config +
                     ": no brokers: set /kafka/bootstrap.servers, or WorkerOptions::brokers");
    }
    if (Status status = check_http(config->http); !status) {
      return failure(options.config + ": /http/listen: " + status.error().message);
    }
    // Read only to check it: once the worker runs, a failure to serve HTTP is no more than a
    // warning.
    if (const auto tokens = read_tokens(config->http.token_file, config->http.tokens); !tokens) {
      return failure(options.config + ": " + tokens.error().message);
    }
    RuntimeOptions runtime;
    runtime.config = *std::move(config);
    runtime.queues = options.queues;
    runtime.concurrency = options.concurrency;
    runtime.threads = options.threads;
    runtime.handler_threads = options.handler_threads;
    runtime.grace = options.grace;
    runtime.functions = handlers;
    if (Status status = check_options(runtime); !status) {
      return failure(options.config + " and WorkerOptions: " + status.error().message);
    }
    return runtime;
  }

  // Connects stop() to the runtime; null: there is no runtime any more.
  void set_runtime(Runtime* to) {
    const std::lock_guard lock(mutex);
    runtime = to;
    // stop() may have been called before there was a runtime.
    if (runtime != nullptr && stop_asked) runtime->stop();
  }
  void stop() {
    const std::lock_guard lock(mutex);
    stop_asked = true;
    if (runtime != nullptr) runtime->stop();
  }

  std::mutex mutex;  // guards the following members
  Runtime* runtime = nullptr;
  bool stop_asked = false;
};

Worker::Worker(WorkerOptions options) : impl_(std::make_unique<Impl>()) {
  impl_->options = std::move(options);
}
Worker::~Worker() = default;

void Worker::handle(std::string type, HandlerFunction handler) {
  impl_->handlers.insert_or_assign(std::move(type), std::move(handler));
}

void Worker::stop() { impl_->stop(); }

int Worker::run() {
  auto options = impl_->runtime_options();
  if (!options) return fail(kBadConfig, options.error().message);
  // Before any thread is started: threads inherit the blocked signals, and those that existed
  // before could be interrupted.
  std::optional<StopSignals> signals;
  if (impl_->options.handle_signals) signals.emplace();
  auto log = open_kafka(options->config.kafka);
  if (!log) return fail(kBadConfig, log.error().message);
  // Copies what it needs, because the options are about to be moved.
  const ProducerSink::Make producer = kafka_producer(options->config);
  Runtime runtime(*std::move(options), *std::move(log), write_log);
  if (Status status = runtime.open(); !status) return fail(kFailed, status.error().message);
  // Declared after the runtime, so that it is destroyed first: its threads use the loops.
  const auto api = WorkerApi::start(runtime, producer, {.log = write_log, .audit = write_audit});
  if (api) {
    write_log("info", "HTTP at " + (*api)->url());
  } else {
    write_log("warning", "without HTTP: " + api.error().message);
  }
  impl_->set_runtime(&runtime);
  if (signals) signals->on_first([this] { stop(); });
  const int status = runtime.run([] { write_log("info", "ready"); });
  impl_->set_runtime(nullptr);
  if (signals) signals->on_first([] {});  // nothing is left to stop
  return status;
}

}  // namespace penstock
