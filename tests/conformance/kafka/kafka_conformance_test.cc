// A real Kafka keeps the rules of every log. PENSTOCK_KAFKA names it.
#include <librdkafka/rdkafka.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "tests/conformance/log_conformance.h"
#include "topics/kafka/kafka_log.h"

namespace penstock {
namespace {

class KafkaUnderTest final : public LogUnderTest {
 public:
  KafkaUnderTest() {
    const char* const brokers = std::getenv("PENSTOCK_KAFKA");
    EXPECT_TRUE(brokers) << "PENSTOCK_KAFKA=host:port must name a Kafka for this test";
    auto opened =
        open_kafka({{"bootstrap.servers", brokers ? brokers : ""}, {"session.timeout.ms", "6000"}});
    EXPECT_TRUE(opened) << opened.error().message;
    log_ = std::move(*opened);
  }

  Log& log() override { return *log_; }
  // A silent death is noticed after the session time-out.
  [[nodiscard]] std::chrono::seconds patience() const override { return std::chrono::seconds(40); }
  [[nodiscard]] int quiet_rounds() const override { return 100; }
  [[nodiscard]] bool bounds_revocations() const override { return false; }
  // The broker goes on telling of a deleted topic for a moment, so it is created until that works.
  [[nodiscard]] bool recreate(const std::string& topic) override {
    const auto before = log_->describe(topic);
    EXPECT_TRUE(before && delete_topic(topic));
    const auto deadline = std::chrono::steady_clock::now() + patience();
    while (std::chrono::steady_clock::now() < deadline) {
      if (log_->create({topic, before->partitions, before->replication, {}})) return true;
      std::this_thread::yield();
    }
    return true;  // what follows fails
  }

 private:
  static bool delete_topic(const std::string& topic) {
    rd_kafka_conf_t* const conf = rd_kafka_conf_new();
    char text[512];
    rd_kafka_conf_set(conf, "bootstrap.servers", std::getenv("PENSTOCK_KAFKA"), text, sizeof text);
    rd_kafka_t* const client = rd_kafka_new(RD_KAFKA_PRODUCER, conf, text, sizeof text);
    if (client == nullptr) return false;
    rd_kafka_queue_t* const queue = rd_kafka_queue_new(client);
    rd_kafka_DeleteTopic_t* deleted = rd_kafka_DeleteTopic_new(topic.c_str());
    rd_kafka_DeleteTopics(client, &deleted, 1, nullptr, queue);
    rd_kafka_event_t* const event = rd_kafka_queue_poll(queue, 30'000);
    const bool done = event && rd_kafka_event_error(event) == RD_KAFKA_RESP_ERR_NO_ERROR;
    if (event) rd_kafka_event_destroy(event);
    rd_kafka_DeleteTopic_destroy(deleted);
    rd_kafka_queue_destroy(queue);
    rd_kafka_destroy(client);
    return done;
  }

  std::unique_ptr<Log> log_;
};

INSTANTIATE_TEST_SUITE_P(Kafka, LogConformance,
                         testing::Values(LogFactory{
                             "kafka", [] { return std::make_unique<KafkaUnderTest>(); }}),
                         log_name);

}  // namespace
}  // namespace penstock
