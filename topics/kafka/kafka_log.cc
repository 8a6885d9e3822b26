#include "topics/kafka/kafka_log.h"

#include <utility>

#include "topics/kafka/session/kafka_session.h"
#include "topics/kafka/topic_admin.h"

namespace penstock {
namespace {

class KafkaLog final : public Log {
 public:
  explicit KafkaLog(kafka::Properties properties) : properties_(std::move(properties)) {}

  Result<std::unique_ptr<LogSession>> open(const SessionOptions& options) override {
    return kafka::KafkaSession::open(properties_, options);
  }
  Status create(const TopicSettings& topic) override {
    return kafka::create_topic(properties_, topic);
  }
  Status configure(const std::string& topic, const std::vector<TopicProperty>& config) override {
    return kafka::configure_topic(properties_, topic, config);
  }
  Result<TopicDescription> describe(const std::string& topic) override {
    return kafka::describe_topic(properties_, topic);
  }
  Result<int> broker_count() override { return kafka::count_brokers(properties_); }
  Result<std::vector<OffsetsAt>> offsets_at(const std::string& topic, Time at) override {
    return kafka::offsets_at(properties_, topic, at);
  }

 private:
  const kafka::Properties properties_;
};

}  // namespace

Result<std::unique_ptr<Log>> open_kafka(KafkaProperties properties) {
  const Status checked = kafka::check_properties(properties);
  if (!checked) return failure(checked.error().message);
  return std::make_unique<KafkaLog>(std::move(properties));
}

}  // namespace penstock
