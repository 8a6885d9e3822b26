#include "bench/raw/raw_consumer.h"

#include <vector>

#include "bench/raw/raw_client.h"
#include "bench/raw/stopwatch.h"

namespace penstock {
namespace {

constexpr std::size_t kBatch = 10'000;
constexpr int kBatchWaitMs = 10;
constexpr int kAnswerMs = 10'000;
constexpr double kPatienceSeconds = 30;  // without any record

// Consumes every partition into one queue while it exists.
class Reading {
 public:
  Reading(rd_kafka_t* client, const std::string& topic, int partitions)
      : topic_(rd_kafka_topic_new(client, topic.c_str(), nullptr)),
        queue_(rd_kafka_queue_new(client)),
        partitions_(partitions) {
    for (int i = 0; i < partitions_; ++i) {
      rd_kafka_consume_start_queue(topic_.get(), i, RD_KAFKA_OFFSET_BEGINNING, queue_.get());
    }
  }
  ~Reading() {
    for (int i = 0; i < partitions_; ++i) rd_kafka_consume_stop(topic_.get(), i);
  }
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;

  // Returns the number of records; adds their sizes to `bytes`.
  std::size_t batch(std::uint64_t* bytes) {
    const ssize_t got =
        rd_kafka_consume_batch_queue(queue_.get(), kBatchWaitMs, messages_.data(), kBatch);
    std::size_t records = 0;
    for (ssize_t i = 0; i < got; ++i) {
      rd_kafka_message_t* const message = messages_[static_cast<std::size_t>(i)];
      if (message->err == RD_KAFKA_RESP_ERR_NO_ERROR) ++records;
      *bytes += message->len;
      // To a volatile member, so that the compiler cannot leave the reading out.
      offsets_ = offsets_ + message->offset;
      rd_kafka_message_destroy(message);
    }
    return records;
  }

 private:
  RawTopic topic_;
  RawQueue queue_;
  int partitions_;
  std::vector<rd_kafka_message_t*> messages_ = std::vector<rd_kafka_message_t*>(kBatch);
  volatile std::int64_t offsets_ = 0;
};

Result<std::size_t> records_in(rd_kafka_t* client, const std::string& topic, int partitions) {
  std::size_t records = 0;
  for (int i = 0; i < partitions; ++i) {
    std::int64_t low = 0, high = 0;
    const auto error =
        rd_kafka_query_watermark_offsets(client, topic.c_str(), i, &low, &high, kAnswerMs);
    if (error) return failure("cannot read " + topic + ": " + rd_kafka_err2str(error));
    records += static_cast<std::size_t>(high - low);
  }
  return records;
}

Result<RawRead> read_all(Reading& reading, std::size_t records) {
  RawRead all, first;
  const Stopwatch since_start;
  Stopwatch since_first, since_last;
  while (all.records < records) {
    const std::size_t got = reading.batch(&all.bytes);
    if (got == 0 && since_last.seconds() > kPatienceSeconds) {
      return failure("librdkafka alone got no records");
    }
    if (got == 0) continue;
    since_last = Stopwatch();
    if (all.records == 0) {
      since_first = since_last;
      first = {got, all.bytes, 0, all.bytes};
    }
    all.records += got;
  }
  // Everything came in one batch, so there is nothing to measure behind the first.
  if (first.records == all.records)
    return RawRead{all.records, all.bytes, since_start.seconds(), all.bytes};
  return RawRead{all.records - first.records, all.bytes - first.bytes, since_first.seconds(),
                 all.bytes};
}

}  // namespace

Result<RawRead> read_raw(const std::map<std::string, std::string>& properties,
                         const std::string& topic, int partitions) {
  auto all = properties;
  // As Penstock's own reader has it, so that the comparison is fair.
  all.insert({"fetch.queue.backoff.ms", "5"});
  auto conf = raw_conf(all);
  if (!conf) return tl::unexpected(conf.error());
  const auto client = raw_client(RD_KAFKA_CONSUMER, std::move(*conf));
  if (!client) return tl::unexpected(client.error());
  const auto records = records_in(client->get(), topic, partitions);
  if (!records) return tl::unexpected(records.error());
  Reading reading(client->get(), topic, partitions);
  return read_all(reading, *records);
}

}  // namespace penstock
