#include "cli/work/local_worker.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <utility>
#include <vector>

#include "cli/produce/embedded_producer.h"
#include "topics/embedded/embedded_log.h"
#include "topics/names.h"
#include "topics/private_directory.h"
#include "topics/topic_check.h"

namespace penstock {
namespace {

// The worker's rows belong to one log, and the embedded log is a different one from Kafka.
constexpr const char* kEmbeddedFolder = "/dev";

Result<std::unique_ptr<Log>> open_log_in(const std::string& directory) {
  if (const Status made = make_private_directory(directory); !made) {
    return tl::unexpected(made.error());
  }
  return open_embedded(directory + "/log");
}

bool works_on(const RuntimeOptions& options, const std::string& queue) {
  const auto& wanted = options.queues;
  return wanted.empty() || std::find(wanted.begin(), wanted.end(), queue) != wanted.end();
}

Status make_topics(Log& log, const RuntimeOptions& options) {
  const auto brokers = log.broker_count();
  if (!brokers) return tl::unexpected(brokers.error());
  const int replication = replication_for(*brokers);
  std::vector<TopicSpec> specs = shared_topic_specs(options.config.prefix, replication);
  for (const QueuePolicy& queue : options.config.queues) {
    if (!works_on(options, queue.name)) continue;
    auto of_queue = queue_topic_specs(QueueNames(options.config.prefix, queue.name),
                                      {queue.partitions, replication});
    std::move(of_queue.begin(), of_queue.end(), std::back_inserter(specs));
  }
  const auto changes = ensure_topics(log, specs);
  return changes ? Status() : tl::unexpected(changes.error());
}

}  // namespace

Result<std::unique_ptr<LocalWorker>> LocalWorker::open_embedded_in(RuntimeOptions options,
                                                                   Runtime::Sink sink) {
  options.config.state_dir += kEmbeddedFolder;
  auto log = open_log_in(options.config.state_dir);
  if (!log) return tl::unexpected(log.error());
  // The worker takes the log over, which stays where it is.
  auto& embedded = **log;
  const std::string prefix = options.config.prefix;
  auto worker = open_on(*std::move(log), nullptr, std::move(options), std::move(sink));
  if (!worker) return worker;
  auto producer = open_embedded_producer(embedded, prefix);
  if (!producer) return tl::unexpected(producer.error());
  (*worker)->producer_ = *std::move(producer);
  return worker;
}

Result<std::unique_ptr<LocalWorker>> LocalWorker::open_on(std::unique_ptr<Log> log,
                                                          std::unique_ptr<Producer> producer,
                                                          RuntimeOptions options,
                                                          Runtime::Sink sink) {
  if (Status made = make_topics(*log, options); !made) return tl::unexpected(made.error());
  std::unique_ptr<LocalWorker> worker(
      new LocalWorker(std::move(options), std::move(log), std::move(sink)));
  worker->producer_ = std::move(producer);
  if (Status opened = worker->runtime_.open(); !opened) return tl::unexpected(opened.error());
  return worker;
}

std::function<Producer()> LocalWorker::make_producer() {
  return [this] {
    auto producer = open_embedded_producer(runtime_.log(), runtime_.options().config.prefix);
    if (!producer) throw ProducerError({FailureReason::kBadOptions, "", producer.error().message});
    return std::move(**producer);
  };
}

}  // namespace penstock
