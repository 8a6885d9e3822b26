// The topic properties that simulated brokers act on, and the validation of those that they know.
// Pure.
#pragma once

#include <cstddef>
#include <vector>

#include "topics/log.h"

namespace penstock::simulated {

[[nodiscard]] bool log_append_time(const std::vector<TopicProperty>& config);
[[nodiscard]] std::size_t max_message_bytes(const std::vector<TopicProperty>& config);

// The error names the first property whose value is invalid.
[[nodiscard]] Status check_properties(const std::vector<TopicProperty>& config);

}  // namespace penstock::simulated
