// The log on a Kafka cluster. Other folders include no other header of this folder except the
// producer's client (topics/kafka/produce/produce_client.h). A Log may be used from any thread.
#pragma once

#include <memory>

#include "topics/kafka/client/kafka_properties.h"
#include "topics/log.h"

namespace penstock {

// `properties` are passed to every client (bootstrap.servers, security settings, ...). Contacts no
// broker yet. Fails on properties that find_bad_property() reports and if bootstrap.servers is
// missing.
[[nodiscard]] Result<std::unique_ptr<Log>> open_kafka(KafkaProperties properties);

}  // namespace penstock
