#include "bench/raw/raw_producer.h"

#include "bench/raw/raw_client.h"

namespace penstock {

constexpr int kPollEvery = 1'000;

struct RawProducer::Handles {
  std::size_t failed = 0;
  int since_poll = 0;
  RawClient client;
  RawTopic topic;  // destroyed before the client
};

namespace {

void count(rd_kafka_t*, const rd_kafka_message_t* message, void* failed) {
  *static_cast<std::size_t*>(failed) += message->err ? 1 : 0;
}

}  // namespace

RawProducer::RawProducer(std::unique_ptr<Handles> handles) : handles_(std::move(handles)) {}
RawProducer::~RawProducer() = default;

Result<std::unique_ptr<RawProducer>> RawProducer::open(
    const std::string& topic, const std::map<std::string, std::string>& properties,
    std::size_t buffer_messages) {
  auto all = properties;
  all.insert({{"enable.idempotence", "true"},
              {"acks", "all"},
              {"partitioner", "murmur2_random"},
              {"message.max.bytes", "2097152"},
              {"queue.buffering.max.messages", std::to_string(buffer_messages)}});
  // On the heap, because librdkafka gets a pointer to `failed`.
  auto handles = std::make_unique<Handles>();
  auto conf = raw_conf(all);
  if (!conf) return tl::unexpected(conf.error());
  rd_kafka_conf_set_opaque(conf->get(), &handles->failed);
  rd_kafka_conf_set_dr_msg_cb(conf->get(), count);
  auto client = raw_client(RD_KAFKA_PRODUCER, std::move(*conf));
  if (!client) return tl::unexpected(client.error());
  handles->client = std::move(*client);
  handles->topic.reset(rd_kafka_topic_new(handles->client.get(), topic.c_str(), nullptr));
  return std::unique_ptr<RawProducer>(new RawProducer(std::move(handles)));
}

void RawProducer::send(std::string_view key, std::string_view value) {
  while (rd_kafka_produce(handles_->topic.get(), RD_KAFKA_PARTITION_UA, RD_KAFKA_MSG_F_COPY,
                          const_cast<char*>(value.data()), value.size(), key.data(), key.size(),
                          nullptr) != 0) {
    rd_kafka_poll(handles_->client.get(), 10);
  }
  // Reports must be served for the buffer to empty, but not after each record: that would cost
  // time.
  if (++handles_->since_poll < kPollEvery) return;
  handles_->since_poll = 0;
  rd_kafka_poll(handles_->client.get(), 0);
}

std::size_t RawProducer::finish() {
  rd_kafka_flush(handles_->client.get(), 120'000);
  return handles_->failed + static_cast<std::size_t>(rd_kafka_outq_len(handles_->client.get()));
}

}  // namespace penstock
