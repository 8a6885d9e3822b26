// The options of librdkafka's admin requests, whose answers are events.
#pragma once

#include <array>
#include <cstdint>

#include "topics/kafka/client/handles.h"

namespace penstock::kafka {

// For a request that a running worker waits for.
inline constexpr int kRequestTimeoutMs = 12'000;

// `opaque`: what opaque_of() finds in the answer.
[[nodiscard]] inline AdminOptions admin_options(rd_kafka_t* client, rd_kafka_admin_op_t operation,
                                                int timeout_ms, std::uintptr_t opaque) {
  AdminOptions options(rd_kafka_AdminOptions_new(client, operation));
  std::array<char, kErrorTextBytes> text{};
  rd_kafka_AdminOptions_set_request_timeout(options.get(), timeout_ms, text.data(), text.size());
  rd_kafka_AdminOptions_set_opaque(options.get(), reinterpret_cast<void*>(opaque));
  return options;
}

[[nodiscard]] inline std::uintptr_t opaque_of(rd_kafka_event_t* event) {
  return reinterpret_cast<std::uintptr_t>(rd_kafka_event_opaque(event));
}

}  // namespace penstock::kafka
