#include "topics/kafka/client/kafka_properties.h"

#include <array>
#include <string_view>

#include "topics/kafka/client/handles.h"

namespace penstock::kafka {
namespace {

struct Refused {
  std::string_view name;
  std::string_view why;
};

constexpr std::string_view kOwnOffsets = "Penstock keeps its own positions in the state log";
constexpr std::string_view kOwnGroup = "the group is derived from the queue's name and --instance";
constexpr std::string_view kExactWrites = "the state log needs idempotent, acknowledged writes";
constexpr std::string_view kExactReads = "a position that is not in the log must be reported";

constexpr std::array kRefused = {
    Refused{"enable.auto.commit", kOwnOffsets},
    Refused{"auto.commit.enable", kOwnOffsets},
    Refused{"auto.commit.interval.ms", kOwnOffsets},
    Refused{"enable.auto.offset.store", kOwnOffsets},
    Refused{"offset.store.method", kOwnOffsets},
    Refused{"auto.offset.reset", kExactReads},
    Refused{"enable.partition.eof", kExactReads},
    Refused{"isolation.level", kExactReads},
    Refused{"group.id", kOwnGroup},
    Refused{"group.instance.id", kOwnGroup},
    Refused{"group.protocol", kOwnGroup},
    Refused{"group.remote.assignor", kOwnGroup},
    Refused{"partition.assignment.strategy", kOwnGroup},
    Refused{"acks", kExactWrites},
    Refused{"request.required.acks", kExactWrites},
    Refused{"enable.idempotence", kExactWrites},
    Refused{"enable.gapless.guarantee", kExactWrites},
    Refused{"transactional.id", kExactWrites},
    Refused{"max.in.flight", kExactWrites},
    Refused{"max.in.flight.requests.per.connection", kExactWrites},
    Refused{"retries", kExactWrites},
    Refused{"message.send.max.retries", kExactWrites},
    Refused{"delivery.timeout.ms", kExactWrites},
    Refused{"message.timeout.ms", kExactWrites},
    Refused{"delivery.report.only.error", kExactWrites},
    Refused{"partitioner", "an account's partition is determined by Java's murmur2 of its key"},
    Refused{"allow.auto.create.topics", "only `penstock topics create` creates topics"},
};

std::optional<std::string> fault_of(const std::string& name, const std::string& value) {
  for (const Refused& refused : kRefused) {
    if (name == refused.name)
      return "it is Penstock's to set: " + std::string(refused.why) + "; remove it";
  }
  // librdkafka has no function that only checks a property, so it is set in a throwaway
  // configuration.
  const ConfHandle conf(rd_kafka_conf_new());
  std::array<char, kErrorTextBytes> text{};
  const auto set =
      rd_kafka_conf_set(conf.get(), name.c_str(), value.c_str(), text.data(), text.size());
  if (set == RD_KAFKA_CONF_OK) return std::nullopt;
  return std::string(text.data()) +
         "; see librdkafka's CONFIGURATION.md for the properties and their values";
}

}  // namespace

Status check_properties(const Properties& given) {
  // librdkafka has two names for this property.
  if (!given.contains("bootstrap.servers") && !given.contains("metadata.broker.list")) {
    return failure(
        "kafka: \"bootstrap.servers\" is missing; give the brokers as host:port,host:port");
  }
  if (const auto bad = find_bad_property(given))
    return failure("kafka property \"" + bad->name + "\": " + bad->message);
  return {};
}

}  // namespace penstock::kafka

namespace penstock {

std::optional<BadProperty> find_bad_property(const KafkaProperties& properties) {
  for (const auto& [name, value] : properties) {
    if (auto fault = kafka::fault_of(name, value)) return BadProperty{name, *std::move(fault)};
  }
  return std::nullopt;
}

}  // namespace penstock
