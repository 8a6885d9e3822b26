// A ProduceClient on Kafka: one idempotent librdkafka producer with acks=all, thin enough that a
// record costs little more than librdkafka itself. After a fatal error of the producer (such as
// producer state that the broker has forgotten after an idle day), everything in flight fails with
// an unknown outcome and the next poll() continues with a new producer.
//
// The client sets no bound: its caller counts the records that are not delivered yet. Threads: as
// ProduceClient documents.
#pragma once

#include <memory>

#include "topics/kafka/produce/produce_options.h"
#include "topics/produce_client.h"

namespace penstock {

// Fails on a property that librdkafka does not know or that only Penstock may set.
[[nodiscard]] Result<std::unique_ptr<ProduceClient>> open_kafka_produce_client(
    const KafkaProduceOptions& options);

}  // namespace penstock
