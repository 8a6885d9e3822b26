#include "bench/raw_producer.h"

#include <librdkafka/rdkafka.h>

namespace penstock {

inline constexpr int kPollEvery = 1'000;

struct RawProducer::Handles {
  rd_kafka_t* client = nullptr;
  rd_kafka_topic_t* topic = nullptr;
  std::size_t failed = 0;
  int since_poll = 0;

  ~Handles() {
    if (topic) rd_kafka_topic_destroy(topic);
    if (client) rd_kafka_destroy(client);
  }
};

namespace {

struct ConfDestroyer {
  void operator()(rd_kafka_conf_t* conf) const { rd_kafka_conf_destroy(conf); }
};
using Conf = std::unique_ptr<rd_kafka_conf_t, ConfDestroyer>;

void count(rd_kafka_t*, const rd_kafka_message_t* message, void* failed) {
  *static_cast<std::size_t*>(failed) += message->err ? 1 : 0;
}

Status set_all(rd_kafka_conf_t* conf, const std::map<std::string, std::string>& properties) {
  char error[512];
  for (const auto& [name, value] : properties) {
    if (rd_kafka_conf_set(conf, name.c_str(), value.c_str(), error, sizeof error) !=
        RD_KAFKA_CONF_OK) {
      return failure("Kafka property '" + name + "': " + error);
    }
  }
  return {};
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
  auto handles = std::make_unique<Handles>();
  Conf conf(rd_kafka_conf_new());
  if (auto status = set_all(conf.get(), all); !status) return tl::unexpected(status.error());
  rd_kafka_conf_set_opaque(conf.get(), &handles->failed);
  rd_kafka_conf_set_dr_msg_cb(conf.get(), count);
  char error[512];
  handles->client = rd_kafka_new(RD_KAFKA_PRODUCER, conf.get(), error, sizeof error);
  if (!handles->client) return failure(error);
  static_cast<void>(conf.release());
  handles->topic = rd_kafka_topic_new(handles->client, topic.c_str(), nullptr);
  return std::unique_ptr<RawProducer>(new RawProducer(std::move(handles)));
}

void RawProducer::send(std::string_view key, std::string_view value) {
  while (rd_kafka_produce(handles_->topic, RD_KAFKA_PARTITION_UA, RD_KAFKA_MSG_F_COPY,
                          const_cast<char*>(value.data()), value.size(), key.data(), key.size(),
                          nullptr) != 0) {
    rd_kafka_poll(handles_->client, 10);
  }
  if (++handles_->since_poll < kPollEvery) return;
  handles_->since_poll = 0;
  rd_kafka_poll(handles_->client, 0);
}

std::size_t RawProducer::finish() {
  rd_kafka_flush(handles_->client, 120'000);
  return handles_->failed + static_cast<std::size_t>(rd_kafka_outq_len(handles_->client));
}

}  // namespace penstock
