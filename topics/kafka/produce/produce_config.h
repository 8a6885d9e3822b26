// How Penstock's own producers are configured: idempotent, acks=all, Java's partitioner, room for
// the largest record. The user's properties are passed through, except those that promises stand
// on.
#pragma once

#include "topics/kafka/client/handles.h"
#include "topics/kafka/produce/produce_options.h"

namespace penstock::kafka {

// A queue's topic takes records of 2 MiB (SPEC section 3); librdkafka's own default is below 1 MiB.
inline constexpr const char* kMaxMessageBytes = "2097152";

[[nodiscard]] Result<ConfHandle> make_produce_conf(const KafkaProduceOptions& options);

}  // namespace penstock::kafka
