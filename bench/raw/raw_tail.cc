#include "bench/raw/raw_tail.h"

#include <array>

#include "bench/raw/raw_client.h"

namespace penstock {
namespace {

constexpr int kWaitMs = 100;

}  // namespace

struct RawTail::Handles {
  RawClient client;
  RawTopic topic;  // these are destroyed before the client
  RawQueue queue;
  int partitions = 0;
  Sink sink;

  void take(rd_kafka_message_t* message) const {
    if (!message->err) sink({static_cast<const char*>(message->payload), message->len});
    rd_kafka_message_destroy(message);
  }

  void run(const std::stop_token& stop) const {
    std::array<rd_kafka_message_t*, 1000> more;
    while (!stop.stop_requested()) {
      rd_kafka_message_t* const first = rd_kafka_consume_queue(queue.get(), kWaitMs);
      if (!first) continue;
      take(first);
      const ssize_t got = rd_kafka_consume_batch_queue(queue.get(), 0, more.data(), more.size());
      for (ssize_t i = 0; i < got; ++i) take(more[static_cast<std::size_t>(i)]);
    }
  }
};

RawTail::RawTail(std::unique_ptr<Handles> handles)
    : handles_(std::move(handles)),
      thread_([this](const std::stop_token& stop) { handles_->run(stop); }) {}

RawTail::~RawTail() {
  // Before the reads are stopped, because the thread uses their queue.
  thread_.request_stop();
  thread_.join();
  for (int i = 0; i < handles_->partitions; ++i) rd_kafka_consume_stop(handles_->topic.get(), i);
}

Result<std::unique_ptr<RawTail>> RawTail::start(
    const std::map<std::string, std::string>& properties, const std::string& topic, int partitions,
    Sink sink) {
  auto conf = raw_conf(properties);
  if (!conf) return tl::unexpected(conf.error());
  auto client = raw_client(RD_KAFKA_CONSUMER, std::move(*conf));
  if (!client) return tl::unexpected(client.error());
  auto handles = std::make_unique<Handles>();
  handles->client = std::move(*client);
  handles->topic.reset(rd_kafka_topic_new(handles->client.get(), topic.c_str(), nullptr));
  handles->queue.reset(rd_kafka_queue_new(handles->client.get()));
  handles->partitions = partitions;
  handles->sink = std::move(sink);
  for (int i = 0; i < partitions; ++i) {
    rd_kafka_consume_start_queue(handles->topic.get(), i, RD_KAFKA_OFFSET_BEGINNING,
                                 handles->queue.get());
  }
  return std::unique_ptr<RawTail>(new RawTail(std::move(handles)));
}

}  // namespace penstock
