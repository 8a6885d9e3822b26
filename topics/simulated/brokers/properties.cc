#include "topics/simulated/brokers/properties.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "topics/values/whole_number.h"

namespace penstock::simulated {
namespace {

constexpr std::size_t kUsualMaxMessageBytes = 1'048'588;  // Kafka's

constexpr std::array<std::string_view, 8> kNumbers = {
    "retention.ms",  "retention.bytes", "max.message.bytes",   "min.insync.replicas",
    "segment.bytes", "segment.ms",      "delete.retention.ms", "file.delete.delay.ms"};

std::string_view property(const std::vector<TopicProperty>& config, std::string_view name) {
  const auto found = std::find_if(config.begin(), config.end(), [&](const TopicProperty& property) {
    return property.name == name;
  });
  return found == config.end() ? std::string_view{} : std::string_view(found->value);
}

bool makes_sense(const TopicProperty& property) {
  const std::string_view value = property.value;
  if (property.name == "message.timestamp.type")
    return value == "CreateTime" || value == "LogAppendTime";
  if (property.name == "cleanup.policy")
    return value == "delete" || value == "compact" || value == "compact,delete" ||
           value == "delete,compact";
  const bool is_number =
      std::find(kNumbers.begin(), kNumbers.end(), property.name) != kNumbers.end();
  return !is_number || whole_number<std::int64_t>(value).has_value();
}

}  // namespace

bool log_append_time(const std::vector<TopicProperty>& config) {
  return property(config, "message.timestamp.type") == "LogAppendTime";
}

std::size_t max_message_bytes(const std::vector<TopicProperty>& config) {
  const auto bytes = whole_number<std::int64_t>(property(config, "max.message.bytes"));
  return bytes && *bytes >= 0 ? static_cast<std::size_t>(*bytes) : kUsualMaxMessageBytes;
}

Status check_properties(const std::vector<TopicProperty>& config) {
  for (const TopicProperty& property : config)
    if (!makes_sense(property))
      return failure("the topic property " + property.name + " cannot be \"" + property.value +
                     "\": give it a value that Kafka takes");
  return {};
}

}  // namespace penstock::simulated
