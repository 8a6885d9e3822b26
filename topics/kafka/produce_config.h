// How Penstock's own producers are configured: idempotent, acks=all, Java's partitioner, room for the
// largest record. The user's properties are passed through, except those that promises stand on.
#pragma once

#include <librdkafka/rdkafka.h>

#include <memory>

#include "topics/kafka/produce_client.h"

namespace penstock {

struct ProduceConfDeleter {
  void operator()(rd_kafka_conf_t* conf) const { rd_kafka_conf_destroy(conf); }
};
using ProduceConf = std::unique_ptr<rd_kafka_conf_t, ProduceConfDeleter>;

// A queue's topic takes records of 2 MiB (SPEC section 3); librdkafka's own default is below 1 MiB.
inline constexpr const char* kMaxMessageBytes = "2097152";

[[nodiscard]] Result<ProduceConf> make_produce_conf(const KafkaProduceOptions& options);

}  // namespace penstock
