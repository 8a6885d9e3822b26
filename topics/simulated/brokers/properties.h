// The topic properties that simulated brokers read, and the check of those whose kind they know.
#pragma once

#include <cstddef>
#include <vector>

#include "topics/log.h"

namespace penstock::simulated {

[[nodiscard]] bool log_append_time(const std::vector<TopicProperty>& config);
[[nodiscard]] std::size_t max_message_bytes(const std::vector<TopicProperty>& config);

// Names the first property whose value makes no sense.
[[nodiscard]] Status check_properties(const std::vector<TopicProperty>& config);

}  // namespace penstock::simulated
