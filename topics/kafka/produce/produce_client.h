// ProduceClient on Kafka: one idempotent librdkafka producer with acks=all, thin enough that a
// record costs what it costs librdkafka. A fatal error of the producer (such as a lost producer
// state after an idle day) fails what is in flight with an unknown outcome, and the next poll()
// goes on with a new producer.
//
// It holds no bound of its own: the caller counts what it has handed in and not seen delivered.
#pragma once

#include <memory>

#include "topics/kafka/produce/produce_options.h"
#include "topics/produce_client.h"

namespace penstock {

// Fails on a property that librdkafka does not know, or that Penstock must set itself.
[[nodiscard]] Result<std::unique_ptr<ProduceClient>> open_kafka_produce_client(
    const KafkaProduceOptions& options);

}  // namespace penstock
