// The log on a Kafka cluster: the one header of this folder that others include, beside the
// producer's client (topics/kafka/produce/produce_client.h).
#pragma once

#include <memory>

#include "topics/kafka/client/kafka_properties.h"
#include "topics/log.h"

namespace penstock {

// `properties` go to every client (bootstrap.servers, security...). Asks nothing of the brokers
// yet. Refused are those that `find_bad_property` finds, and a missing bootstrap.servers.
[[nodiscard]] Result<std::unique_ptr<Log>> open_kafka(KafkaProperties properties);

}  // namespace penstock
