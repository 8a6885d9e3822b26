// How much slower reading through a session is than raw librdkafka: reads one topic both ways,
// alternately, and prints one JSON object. Both sides touch every record's offset and value size.
//
//   kafka_read_rate HOST:PORT [RECORDS [ROUNDS]]
#include <librdkafka/rdkafka.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "topics/kafka/kafka_log.h"

namespace {

using namespace penstock;
using Clock = std::chrono::steady_clock;

constexpr int kPartitions = 12;
constexpr std::size_t kValueBytes = 200;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// CPU time of the process, all threads.
double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

struct Rate {
  double per_second = 0;  // records
  double cpu_ns = 0;      // per record
};

Rate rate_of(std::size_t records, Clock::time_point begin, double cpu_begin) {
  const auto count = static_cast<double>(records);
  return {count / seconds_since(begin), (cpu_seconds() - cpu_begin) / count * 1e9};
}

[[noreturn]] void give_up(const std::string& text) {
  std::fprintf(stderr, "kafka_read_rate: %s\n", text.c_str());
  std::exit(1);
}

class Counter : public LogListener {
 public:
  void on_assigned(std::span<const PartitionId>) override {}
  void on_revoked(std::span<const PartitionId>) override {}
  void on_lost(std::span<const PartitionId>) override {}
  void on_records(TopicPartition, std::span<const LogRecord> batch) override {
    ++spans;
    records += batch.size();
    for (const LogRecord& record : batch) {
      sum += static_cast<std::uint64_t>(record.offset.value) + record.value->size();
    }
  }
  void on_out_of_range(TopicPartition, Offset) override { give_up("out of range"); }
  void on_appended(Lane, Ticket, const Appended& result) override {
    if (result.error) give_up(*result.error);
    ++appended;
  }
  void on_bounds(TopicPartition, const Result<Bounds>&) override {}
  void on_membership(PartitionId, bool) override {}
  void on_deleted(TopicPartition, const Status&) override {}
  void on_connection(bool, std::string_view) override {}
  void on_fatal(std::string_view detail) override { give_up(std::string(detail)); }

  std::size_t records = 0;
  std::size_t spans = 0;
  std::size_t appended = 0;
  std::uint64_t sum = 0;
};

std::string fill(Log& log, std::size_t records) {
  const std::string topic =
      "kafka_read_rate." +
      std::to_string(std::chrono::system_clock::now().time_since_epoch().count());
  const Status made =
      log.create({.name = topic, .partitions = kPartitions, .replication = 1, .config = {}});
  if (!made) give_up(made.error().message);
  auto session = std::move(*log.open({}));
  const TopicId id = session->topic(topic);
  const std::string value(kValueBytes, 'x');
  Counter counter;
  for (std::size_t i = 0; i < records; ++i) {
    const auto partition = static_cast<PartitionId>(i / 100 % kPartitions);
    const NewRecord record{.key = "account-17", .value = value, .headers = {}};
    while (!session->append(Lane::kOutbox, {id, partition}, record, i)) {
      if (!session->poll(counter)) session->wait(std::chrono::milliseconds(5));
    }
  }
  while (counter.appended < records) {
    if (!session->poll(counter)) session->wait(std::chrono::milliseconds(50));
  }
  return topic;
}

Rate read_by_session(Log& log, const std::string& topic, std::size_t records) {
  auto session = std::move(*log.open({}));
  const TopicId id = session->topic(topic);
  Counter counter;
  const auto begin = Clock::now();
  const double cpu_begin = cpu_seconds();
  for (PartitionId partition = 0; partition < kPartitions; ++partition) {
    session->read({id, partition}, Offset{0});
  }
  while (counter.records < records) {
    if (!session->poll(counter)) session->wait(std::chrono::milliseconds(100));
  }
  return rate_of(records, begin, cpu_begin);
}

Rate read_raw(const std::string& brokers, const std::string& topic, std::size_t records) {
  char text[512];
  rd_kafka_conf_t* conf = rd_kafka_conf_new();
  rd_kafka_conf_set(conf, "bootstrap.servers", brokers.c_str(), text, sizeof(text));
  rd_kafka_conf_set(conf, "fetch.queue.backoff.ms", "5", text, sizeof(text));
  rd_kafka_t* client = rd_kafka_new(RD_KAFKA_CONSUMER, conf, text, sizeof(text));
  rd_kafka_topic_t* handle = rd_kafka_topic_new(client, topic.c_str(), nullptr);
  rd_kafka_queue_t* queue = rd_kafka_queue_new(client);
  std::vector<rd_kafka_message_t*> messages(10'000);
  std::size_t seen = 0;
  // So that the compiler cannot leave the reading out.
  volatile std::uint64_t sum = 0;
  const auto begin = Clock::now();
  const double cpu_begin = cpu_seconds();
  for (int partition = 0; partition < kPartitions; ++partition) {
    rd_kafka_consume_start_queue(handle, partition, 0, queue);
  }
  while (seen < records) {
    const ssize_t got = rd_kafka_consume_batch_queue(queue, 10, messages.data(), messages.size());
    for (ssize_t i = 0; i < got; ++i) {
      const rd_kafka_message_t* message = messages[static_cast<std::size_t>(i)];
      if (message->err == RD_KAFKA_RESP_ERR_NO_ERROR) ++seen;
      sum = sum + static_cast<std::uint64_t>(message->offset) + message->len;
      rd_kafka_message_destroy(messages[static_cast<std::size_t>(i)]);
    }
  }
  const Rate rate = rate_of(seen, begin, cpu_begin);
  for (int partition = 0; partition < kPartitions; ++partition) {
    rd_kafka_consume_stop(handle, partition);
  }
  rd_kafka_queue_destroy(queue);
  rd_kafka_topic_destroy(handle);
  rd_kafka_destroy(client);
  return rate;
}

double median(const std::vector<Rate>& rates, double Rate::*field) {
  std::vector<double> values;
  for (const Rate& rate : rates) values.push_back(rate.*field);
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) give_up("usage: kafka_read_rate HOST:PORT [RECORDS [ROUNDS]]");
  const std::string brokers = argv[1];
  const std::size_t records = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1'000'000;
  const int rounds = argc > 3 ? std::atoi(argv[3]) : 5;
  auto log = std::move(*penstock::open_kafka({{"bootstrap.servers", brokers}}));
  const std::string topic = fill(*log, records);
  read_raw(brokers, topic, records);  // so that both find the broker's page cache warm
  std::vector<Rate> raw;
  std::vector<Rate> ours;
  for (int round = 0; round < rounds; ++round) {
    raw.push_back(read_raw(brokers, topic, records));
    ours.push_back(read_by_session(*log, topic, records));
    std::fprintf(stderr, "raw %.0f/s (%.0f ns), session %.0f/s (%.0f ns)\n", raw.back().per_second,
                 raw.back().cpu_ns, ours.back().per_second, ours.back().cpu_ns);
  }
  const double value = median(ours, &Rate::per_second);
  const double raw_value = median(raw, &Rate::per_second);
  std::printf(
      "{\"bench\":\"kafka_read_rate\",\"value\":%.0f,\"unit\":\"records/s\",\"raw\":%.0f,"
      "\"ratio\":%.3f,\"cpu_ns\":%.0f,\"raw_cpu_ns\":%.0f}\n",
      value, raw_value, value / raw_value, median(ours, &Rate::cpu_ns), median(raw, &Rate::cpu_ns));
}
