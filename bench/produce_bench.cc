#include "bench/produce_bench.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "bench/raw_producer.h"
#include "penstock/producer.h"
#include "producer/job_id.h"
#include "topics/kafka/kafka_log.h"

namespace penstock {
namespace {

using Clock = std::chrono::steady_clock;

inline constexpr std::size_t kBufferMessages = 100'000;
inline constexpr std::size_t kDifferentRecords = 50'000;  // sent over and over
inline constexpr std::chrono::minutes kPatience{2};

struct Record {
  std::string account;
  std::string value;
};

std::vector<Record> make_records(const ProduceBenchOptions& options) {
  std::vector<Record> records;
  for (std::size_t i = 0; i < std::min(kDifferentRecords, options.records); ++i) {
    auto value = R"({"type":"noop","id":")" + new_job_id() + R"(","args":{"text":")";
    value.append(options.record_bytes - std::min(options.record_bytes, value.size() + 3), 'x')
        .append("\"}}");
    records.push_back({"account-" + std::to_string(i % options.accounts), std::move(value)});
  }
  return records;
}

double per_second(std::size_t records, Clock::time_point since) {
  return static_cast<double>(records) / std::chrono::duration<double>(Clock::now() - since).count();
}

Result<double> run_raw(const ProduceBenchOptions& options, const std::string& topic,
                       const std::vector<Record>& records) {
  auto producer = RawProducer::open(topic, options.properties, kBufferMessages);
  if (!producer) return tl::unexpected(producer.error());
  const auto start = Clock::now();
  for (std::size_t i = 0; i < options.records; ++i) {
    const auto& record = records[i % records.size()];
    (*producer)->send(record.account, record.value);
  }
  if (const auto failed = (*producer)->finish(); failed > 0) {
    return failure(std::to_string(failed) + " records were not acknowledged to librdkafka alone");
  }
  return per_second(options.records, start);
}

Result<double> run_penstock(const ProduceBenchOptions& options, const std::string& queue,
                            const std::vector<Record>& records) {
  Producer producer({.properties = options.properties, .buffer_messages = kBufferMessages});
  std::atomic<std::size_t> failed = 0;
  const auto done = [&failed](const Delivery& delivery) {
    if (delivery.failure) ++failed;
  };
  const auto start = Clock::now();
  for (std::size_t i = 0; i < options.records; ++i) {
    const auto& record = records[i % records.size()];
    while (!producer.wait_for_space(record.account.size() + record.value.size(), kPatience)) {
    }
    producer.send_raw(queue, record.account, record.value, done);
  }
  if (!producer.flush(kPatience))
    return failure("the producer did not finish; is the broker alive?");
  if (failed > 0) return failure(std::to_string(failed) + " jobs were not acknowledged");
  return per_second(options.records, start);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

nlohmann::ordered_json report(const ProduceBenchOptions& options, const std::vector<double>& values,
                              const std::vector<double>& raws) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < values.size(); ++i) ratios.push_back(values[i] / raws[i]);
  return {{"bench", "produce"},
          {"value", median(values)},
          {"unit", "jobs/s"},
          {"raw", median(raws)},
          {"ratio", median(ratios)},
          {"min_ratio", *std::min_element(ratios.begin(), ratios.end())},
          {"max_ratio", *std::max_element(ratios.begin(), ratios.end())},
          {"settings",
           {{"records", options.records},
            {"record_bytes", options.record_bytes},
            {"accounts", options.accounts},
            {"partitions", options.partitions},
            {"rounds", options.rounds}}}};
}

}  // namespace

Result<nlohmann::ordered_json> bench_produce(const ProduceBenchOptions& options) {
  auto log = open_kafka(options.properties);
  if (!log) return tl::unexpected(log.error());
  const auto queue = "bench-produce-" + new_job_id();
  const auto topic = "penstock." + queue;
  // The brokers drop by themselves what the run leaves behind.
  const TopicSettings settings{.name = topic,
                               .partitions = options.partitions,
                               .replication = 1,
                               .config = {{"retention.ms", "600000"}, {"segment.ms", "300000"}}};
  if (auto status = (*log)->create(settings); !status) return tl::unexpected(status.error());

  const auto records = make_records(options);
  std::vector<double> values, raws;
  for (int round = 0; round <= options.rounds; ++round) {
    const auto raw = run_raw(options, topic, records);
    if (!raw) return tl::unexpected(raw.error());
    const auto value = run_penstock(options, queue, records);
    if (!value) return tl::unexpected(value.error());
    if (round == 0) continue;  // warms the broker's page cache and both clients' code
    raws.push_back(*raw);
    values.push_back(*value);
  }
  return report(options, values, raws);
}

}  // namespace penstock
