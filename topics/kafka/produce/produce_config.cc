#include "topics/kafka/produce/produce_config.h"

#include <array>
#include <string_view>
#include <utility>

namespace penstock::kafka {
namespace {

using Property = std::pair<const char*, const char*>;

// Values that a user may override.
constexpr std::array kDefaults = {
    Property{"client.id", "penstock-producer"},
    Property{"message.max.bytes", kMaxMessageBytes},
};

// Values that order, durability and an account's partition depend on. The caller bounds the buffer,
// so librdkafka's own bound is as large as possible.
constexpr std::array kFixed = {
    Property{"enable.idempotence", "true"},
    Property{"acks", "all"},
    Property{"partitioner", "murmur2_random"},
    Property{"allow.auto.create.topics", "false"},
    Property{"queue.buffering.max.messages", "0"},
    Property{"queue.buffering.max.kbytes", "2147483647"},
};

Status set(rd_kafka_conf_t* conf, const std::string& name, const std::string& value) {
  std::array<char, kErrorTextBytes> error{};
  const auto set = rd_kafka_conf_set(conf, name.c_str(), value.c_str(), error.data(), error.size());
  if (set == RD_KAFKA_CONF_OK) return {};
  return failure("Kafka property '" + name + "': " + error.data() +
                 "; see librdkafka's CONFIGURATION.md for the properties and their values");
}

Status refuse_fixed(const std::string& name, const std::string& value) {
  for (const auto& [fixed, needed] : kFixed) {
    if (name == fixed && value != needed) {
      return failure("Kafka property '" + name + "' is '" + value +
                     "', but Penstock's producer needs '" + needed + "'; leave it out");
    }
  }
  if (name == "transactional.id" || name == "delivery.timeout.ms" || name == "message.timeout.ms") {
    return failure("Kafka property '" + name +
                   "' cannot be set here; leave it out (the producer has delivery_timeout)");
  }
  return {};
}

Status set_all(rd_kafka_conf_t* conf, const KafkaProduceOptions& options) {
  for (const auto& [name, value] : kDefaults) {
    if (auto status = set(conf, name, value); !status) return status;
  }
  for (const auto& [name, value] : options.properties) {
    if (auto status = refuse_fixed(name, value); !status) return status;
    if (auto status = set(conf, name, value); !status) return status;
  }
  for (const auto& [name, value] : kFixed) {
    if (auto status = set(conf, name, value); !status) return status;
  }
  if (!options.brokers.empty()) {
    if (auto status = set(conf, "bootstrap.servers", options.brokers); !status) return status;
  }
  return set(conf, "delivery.timeout.ms", std::to_string(options.delivery_timeout.count()));
}

bool has_brokers(const KafkaProduceOptions& options) {
  // librdkafka's mock cluster sets the address of its brokers by itself.
  return !options.brokers.empty() || options.properties.contains("bootstrap.servers") ||
         options.properties.contains("metadata.broker.list") ||
         options.properties.contains("test.mock.num.brokers");
}

}  // namespace

Result<ConfHandle> make_produce_conf(const KafkaProduceOptions& options) {
  if (!has_brokers(options)) {
    return failure("no Kafka brokers are given; set brokers to \"host:port\"");
  }
  ConfHandle conf(rd_kafka_conf_new());
  if (auto status = set_all(conf.get(), options); !status) return tl::unexpected(status.error());
  return conf;
}

}  // namespace penstock::kafka
