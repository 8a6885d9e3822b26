// Which partition a key belongs to: Java's default partitioner, so that every Kafka client that can
// be set to it (librdkafka: partitioner=murmur2_random) sends an account where its task is. Pure.
#pragma once

#include <cstdint>
#include <string_view>

#include "topics/values/types.h"

namespace penstock {

// org.apache.kafka.common.utils.Utils.murmur2, as a signed 32-bit number like there.
[[nodiscard]] std::int32_t murmur2(std::string_view key);

// (murmur2(key) & 0x7fffffff) % partitions; at least one partition.
[[nodiscard]] PartitionId partition_of(std::string_view key, int partitions);

}  // namespace penstock
