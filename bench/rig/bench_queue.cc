#include "bench/rig/bench_queue.h"

#include "bench/raw/raw_topics.h"
#include "producer/job_id.h"
#include "topics/kafka/kafka_log.h"
#include "topics/topic_check.h"

namespace penstock {
namespace {

constexpr std::size_t kBufferMessages = 100'000;

}  // namespace

std::string BenchJob::text() const {
  std::string text = R"({"type":")" + type + R"(","id":")" + id() + '"';
  if (run_at_ms > 0) text += R"(,"run_at":)" + std::to_string(run_at_ms);
  text += R"(,"args":{"number":)" + std::to_string(number) + R"(,"run_at":)" +
          std::to_string(run_at_ms) + R"(,"text":")";
  if (const std::size_t end = 3; text.size() + end < bytes)
    text.append(bytes - text.size() - end, 'x');
  return text + "\"}}";
}

std::string bench_account(std::size_t number) { return "account-" + std::to_string(number); }

QueuePolicy noop_queue(std::string name, int partitions) {
  QueuePolicy policy;
  policy.name = std::move(name);
  policy.partitions = partitions;
  policy.types["noop"].handler = NoopHandler{};
  return policy;
}

BenchQueue::BenchQueue(Properties properties, std::string prefix, QueuePolicy policy)
    : properties_(std::move(properties)),
      prefix_(std::move(prefix)),
      policy_(std::move(policy)),
      names_(prefix_, policy_.name) {}

Result<std::unique_ptr<BenchQueue>> BenchQueue::make(const Properties& properties,
                                                     QueuePolicy policy) {
  const auto log = open_kafka(properties);
  if (!log) return tl::unexpected(log.error());
  const auto brokers = (*log)->broker_count();
  if (!brokers) return tl::unexpected(brokers.error());
  std::unique_ptr<BenchQueue> queue(
      new BenchQueue(properties, "bench-" + new_job_id(), std::move(policy)));
  const QueueTopicOptions topics{queue->policy_.partitions, replication_for(*brokers)};
  auto specs = queue_topic_specs(queue->names_, topics);
  for (TopicSpec& shared : shared_topic_specs(queue->prefix_, topics.replication))
    specs.push_back(std::move(shared));
  const auto made = ensure_topics(**log, specs);
  if (!made) return tl::unexpected(made.error());
  return queue;
}

BenchQueue::~BenchQueue() {
  // Best effort: topics that remain have a prefix that nothing else uses.
  static_cast<void>(delete_topics(
      properties_,
      {names_.topic(), names_.state_topic(), names_.dead_topic(), names_.events_topic(),
       control_topic(prefix_), slots_topic(prefix_), slots_state_topic(prefix_)}));
}

Result<std::unique_ptr<RawProducer>> BenchQueue::open_producer() const {
  return RawProducer::open(names_.topic(), properties_, kBufferMessages);
}

Status BenchQueue::fill(std::size_t count, const Lines& line) const {
  const auto producer = open_producer();
  if (!producer) return tl::unexpected(producer.error());
  return fill(**producer, count, line);
}

Status BenchQueue::fill(RawProducer& producer, std::size_t count, const Lines& line) {
  for (std::size_t i = 0; i < count; ++i) {
    const Line next = line(i);
    producer.send(next.account, next.job.text());
  }
  if (const auto failed = producer.finish(); failed > 0) {
    return failure(std::to_string(failed) +
                   " jobs were not acknowledged; is the broker all right?");
  }
  return {};
}

}  // namespace penstock
