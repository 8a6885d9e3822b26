// The options of a Kafka producer. A value.
#pragma once

#include <chrono>
#include <map>
#include <string>

namespace penstock {

struct KafkaProduceOptions {
  std::string brokers;  // "host:port,..."; empty: `properties` contains them
  std::map<std::string, std::string> properties;  // librdkafka's, passed through
  std::chrono::milliseconds delivery_timeout{60'000};
};

}  // namespace penstock
