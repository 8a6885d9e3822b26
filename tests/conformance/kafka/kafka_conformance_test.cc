// A real Kafka keeps the rules of every log. PENSTOCK_KAFKA names it.
#include <cstdlib>

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

 private:
  std::unique_ptr<Log> log_;
};

INSTANTIATE_TEST_SUITE_P(Kafka, LogConformance,
                         testing::Values(LogFactory{
                             "kafka", [] { return std::make_unique<KafkaUnderTest>(); }}),
                         log_name);

}  // namespace
}  // namespace penstock
