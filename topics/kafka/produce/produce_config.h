// The configuration of Penstock's own producers: idempotent, acks=all, Java's partitioner, room for
// the largest record. The user's properties are passed through, except those that Penstock's
// promises depend on. Pure.
#pragma once

#include "topics/kafka/client/handles.h"
#include "topics/kafka/produce/produce_options.h"

namespace penstock::kafka {

// A queue's topic accepts records of 2 MiB; librdkafka's default limit is below 1 MiB.
inline constexpr const char* kMaxMessageBytes = "2097152";

[[nodiscard]] Result<ConfHandle> make_produce_conf(const KafkaProduceOptions& options);

}  // namespace penstock::kafka
