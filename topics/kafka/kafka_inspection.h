// What a Kafka cluster says of itself, for `penstock doctor`: its brokers, the protocol that they
// speak, and the state of groups. Blocks for a bounded time; may be called from any thread.
#pragma once

#include <string>
#include <vector>

#include "topics/kafka/client/kafka_properties.h"
#include "topics/values/result.h"

namespace penstock {

struct KafkaBroker {
  int id = -1;
  std::string address;  // HOST:PORT, as the broker advertises it
};

struct KafkaGroup {
  std::string name;
  std::string state;  // "Stable", "Empty", "Dead" (there is none), "PreparingRebalance", ...
  std::vector<std::string> members;  // their client ids
  std::string error;                 // why nothing is known; otherwise empty
};

struct KafkaInspection {
  std::vector<KafkaBroker> brokers;
  int controller = -1;
  // What the broker that answered first supports, with librdkafka's names ("IdempotentProducer").
  // Empty: it did not say.
  std::vector<std::string> features;
  std::vector<KafkaGroup> groups;  // in the order of the question
};

[[nodiscard]] Result<KafkaInspection> inspect_kafka(const KafkaProperties& properties,
                                                    const std::vector<std::string>& groups);

}  // namespace penstock
