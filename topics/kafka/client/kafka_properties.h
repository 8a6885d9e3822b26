// The librdkafka properties that a user gives, and which of them only Penstock may set. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "topics/values/result.h"

namespace penstock {

using KafkaProperties = std::map<std::string, std::string>;  // librdkafka's

struct BadProperty {
  std::string name;
  std::string message;  // without the name: what is wrong with it, and what to do
};

// The first property that Penstock must control, that librdkafka does not know, or whose value
// librdkafka rejects.
[[nodiscard]] std::optional<BadProperty> find_bad_property(const KafkaProperties& properties);

namespace kafka {

using Properties = KafkaProperties;

// Fails on properties that find_bad_property() reports and if bootstrap.servers is missing.
[[nodiscard]] Status check_properties(const Properties& given);

}  // namespace kafka
}  // namespace penstock
