// The properties of a librdkafka client. Penstock's fixed values for the client's role override the
// user's, which override Penstock's defaults. Pure.
#pragma once

#include "topics/kafka/client/handles.h"
#include "topics/kafka/client/kafka_properties.h"
#include "topics/values/result.h"

namespace penstock::kafka {

enum class Role { kMember, kReader, kStateLane, kOutboxLane, kAdmin };

// `given` must have passed check_properties(). `extra` holds further fixed values (client.id,
// group.id).
[[nodiscard]] Result<ConfHandle> client_conf(Role role, const Properties& given,
                                             const Properties& extra);

// The timeouts of a member and of a lane whose owners have this lease. A broker refuses sessions
// shorter than its group.min.session.timeout.ms, which is 6 s unless somebody has set it.
[[nodiscard]] Properties member_timeouts(std::chrono::milliseconds lease);
[[nodiscard]] Properties lane_timeouts(std::chrono::milliseconds lease);

[[nodiscard]] constexpr rd_kafka_type_t client_type(Role role) {
  return role == Role::kMember || role == Role::kReader ? RD_KAFKA_CONSUMER : RD_KAFKA_PRODUCER;
}

}  // namespace penstock::kafka
