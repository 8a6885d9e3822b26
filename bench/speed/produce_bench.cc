#include "bench/speed/produce_bench.h"

#include <algorithm>
#include <atomic>
#include <string_view>
#include <vector>

#include "bench/raw/raw_producer.h"
#include "bench/raw/stopwatch.h"
#include "bench/rig/bench_queue.h"
#include "bench/rig/rounds.h"
#include "penstock/producer.h"
#include "producer/job_id.h"

namespace penstock {
namespace {

constexpr std::size_t kJobs = 1'000'000;  // of each in each round
constexpr std::size_t kAccounts = 1'000;
constexpr std::size_t kRecordBytes = 200;
constexpr std::size_t kBufferMessages = 100'000;
constexpr std::size_t kDifferentRecords = 50'000;  // sent over and over
constexpr std::chrono::minutes kPatience{2};

struct Setting {
  std::map<std::string, std::string> properties;
  std::size_t jobs;
  std::size_t accounts;
};

struct Record {
  std::string account;
  std::string value;
};

std::vector<Record> make_records(const Setting& setting) {
  std::vector<Record> records;
  for (std::size_t i = 0; i < std::min(kDifferentRecords, setting.jobs); ++i) {
    auto value = R"({"type":"noop","id":")" + new_job_id() + R"(","args":{"text":")";
    value.append(kRecordBytes - std::min(kRecordBytes, value.size() + 3), 'x').append("\"}}");
    records.push_back({"account-" + std::to_string(i % setting.accounts), std::move(value)});
  }
  return records;
}

Result<double> run_raw(const Setting& setting, const std::string& topic,
                       const std::vector<Record>& records) {
  auto producer = RawProducer::open(topic, setting.properties, kBufferMessages);
  if (!producer) return tl::unexpected(producer.error());
  (*producer)->send(records.front().account, records.front().value);  // connects
  static_cast<void>((*producer)->finish());
  const Stopwatch since_start;
  for (std::size_t i = 0; i < setting.jobs; ++i) {
    const auto& record = records[i % records.size()];
    (*producer)->send(record.account, record.value);
  }
  if (const auto failed = (*producer)->finish(); failed > 0) {
    return failure(std::to_string(failed) + " records were not acknowledged to librdkafka alone");
  }
  return since_start.a_second(setting.jobs);
}

Result<double> run_penstock(const Setting& setting, const BenchQueue& queue,
                            const std::vector<Record>& records) {
  std::atomic<std::size_t> failed = 0;  // outlives the producer, which calls back until it goes
  Producer producer({.prefix = queue.prefix(),
                     .properties = setting.properties,
                     .buffer_messages = kBufferMessages});
  const auto done = [&failed](const Delivery& delivery) {
    if (delivery.failure) ++failed;
  };
  producer.send_raw(queue.policy().name, records.front().account, records.front().value, done);
  static_cast<void>(producer.flush(kPatience));  // has connected
  const Stopwatch since_start;
  for (std::size_t i = 0; i < setting.jobs; ++i) {
    const auto& record = records[i % records.size()];
    while (!producer.wait_for_space(record.account.size() + record.value.size(), kPatience)) {
    }
    producer.send_raw(queue.policy().name, record.account, record.value, done);
  }
  if (!producer.flush(kPatience))
    return failure("the producer did not finish; is the broker alive?");
  if (failed > 0) return failure(std::to_string(failed) + " jobs were not acknowledged");
  return since_start.a_second(setting.jobs);
}

}  // namespace

Result<nlohmann::ordered_json> bench_produce(const BenchOptions& options) {
  const Setting setting{options.properties, options.jobs.value_or(kJobs),
                        options.accounts.value_or(kAccounts)};
  QueuePolicy policy;
  policy.name = "produce";
  policy.partitions = options.partitions;
  const auto queue = BenchQueue::make(options.properties, policy);
  if (!queue) return tl::unexpected(queue.error());

  const auto records = make_records(setting);
  Rounds rounds;
  for (int round = 0; round <= options.rounds.value_or(kRounds); ++round) {
    const auto raw = run_raw(setting, (*queue)->names().topic(), records);
    if (!raw) return tl::unexpected(raw.error());
    const auto value = run_penstock(setting, **queue, records);
    if (!value) return tl::unexpected(value.error());
    if (round == 0) continue;  // warms the broker's page cache and both clients' code
    rounds.add(*value, *raw);
    options.note("produce: " + rounds.last());
  }
  return rounds.report("produce", "jobs/s",
                       {{"jobs", setting.jobs},
                        {"record_bytes", kRecordBytes},
                        {"accounts", setting.accounts},
                        {"partitions", options.partitions}});
}

}  // namespace penstock
