// The properties of a librdkafka client. Penstock's fixed values for the client's role override the
// user's, which override Penstock's defaults. Pure.
#pragma once

#include <map>
#include <string>

#include "topics/kafka/handles.h"
#include "topics/kafka/kafka_log.h"
#include "topics/values/result.h"

namespace penstock::kafka {

using Properties = KafkaProperties;

enum class Role { kMember, kReader, kStateLane, kOutboxLane, kAdmin };

// Fails on properties that find_bad_property() reports and if bootstrap.servers is missing.
[[nodiscard]] Status check_properties(const Properties& given);

// `given` must have passed check_properties(). `extra` holds further fixed values (client.id,
// group.id).
[[nodiscard]] Result<ConfHandle> client_conf(Role role, const Properties& given,
                                             const Properties& extra);

[[nodiscard]] constexpr rd_kafka_type_t client_type(Role role) {
  return role == Role::kMember || role == Role::kReader ? RD_KAFKA_CONSUMER : RD_KAFKA_PRODUCER;
}

}  // namespace penstock::kafka
