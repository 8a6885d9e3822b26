// The log on a Kafka cluster. Other folders include no other header of this folder except
// produce_client.h. A Log may be used from any thread.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "topics/log.h"

namespace penstock {

using KafkaProperties = std::map<std::string, std::string>;  // librdkafka's

// `properties` are passed to every client (bootstrap.servers, security settings, ...). Contacts no
// broker yet. Fails on properties that find_bad_property() reports and if bootstrap.servers is
// missing.
[[nodiscard]] Result<std::unique_ptr<Log>> open_kafka(KafkaProperties properties);

struct BadProperty {
  std::string name;
  std::string message;  // without the name: what is wrong with it, and what to do
};

// The first property that Penstock must control, that librdkafka does not know, or whose value
// librdkafka rejects.
[[nodiscard]] std::optional<BadProperty> find_bad_property(const KafkaProperties& properties);

}  // namespace penstock
