// Which partition a key belongs to, as computed by Java's default partitioner. Every Kafka client
// that can use it (librdkafka: partitioner=murmur2_random) sends an account's records to the
// partition of its task. Pure.
#pragma once

#include <cstdint>
#include <string_view>

#include "topics/values/types.h"

namespace penstock {

// The same as org.apache.kafka.common.utils.Utils.murmur2, including the signed result.
[[nodiscard]] std::int32_t murmur2(std::string_view key);

// (murmur2(key) & 0x7fffffff) % partitions. `partitions` must be at least 1.
[[nodiscard]] PartitionId partition_of(std::string_view key, int partitions);

}  // namespace penstock
