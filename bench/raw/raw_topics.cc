#include "bench/raw/raw_topics.h"

#include "bench/raw/raw_client.h"

namespace penstock {
namespace {

constexpr int kAnswerMs = 30'000;

using DeleteTopic =
    std::unique_ptr<rd_kafka_DeleteTopic_t, RawDestroyer<rd_kafka_DeleteTopic_destroy>>;

}  // namespace

Status delete_topics(const std::map<std::string, std::string>& properties,
                     const std::vector<std::string>& topics) {
  auto conf = raw_conf(properties);
  if (!conf) return tl::unexpected(conf.error());
  const auto client = raw_client(RD_KAFKA_PRODUCER, std::move(*conf));
  if (!client) return tl::unexpected(client.error());
  std::vector<DeleteTopic> owned;
  std::vector<rd_kafka_DeleteTopic_t*> arguments;
  for (const std::string& topic : topics) {
    owned.emplace_back(rd_kafka_DeleteTopic_new(topic.c_str()));
    arguments.push_back(owned.back().get());
  }
  const RawQueue queue(rd_kafka_queue_new(client->get()));
  rd_kafka_DeleteTopics(client->get(), arguments.data(), arguments.size(), nullptr, queue.get());
  const RawEvent event(rd_kafka_queue_poll(queue.get(), kAnswerMs));
  if (!event) return failure("the brokers did not answer the request to delete topics");
  if (rd_kafka_event_error(event.get())) return failure(rd_kafka_event_error_string(event.get()));
  return {};
}

}  // namespace penstock
