// The log on a Kafka cluster. The only header of this folder that others include.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "topics/log.h"

namespace penstock {

using KafkaProperties = std::map<std::string, std::string>;  // librdkafka's

// `properties` go to every client (bootstrap.servers, security...). Asks nothing of the brokers
// yet. Refused are those that `find_bad_property` finds, and a missing bootstrap.servers.
[[nodiscard]] Result<std::unique_ptr<Log>> open_kafka(KafkaProperties properties);

struct BadProperty {
  std::string name;
  std::string message;  // without the name: what is wrong with it, and what to do
};

// The first of them that Penstock must control, that librdkafka does not know, or whose value it
// does not take.
[[nodiscard]] std::optional<BadProperty> find_bad_property(const KafkaProperties& properties);

}  // namespace penstock
