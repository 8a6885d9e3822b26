// The part of the config file that is one queue: /queues/NAME. For one thread.
#pragma once

#include <cstddef>
#include <string_view>

#include "consumer/config_reader.h"
#include "consumer/policy.h"

namespace penstock {

inline constexpr std::size_t kMaxConfigNameBytes =
    100;  // of a queue or the prefix: topics end at 249
inline constexpr int kMaxPartitions = 10'000;
inline constexpr int kMaxAccountConcurrency = 10'000;
inline constexpr int kMaxAttempts = 1'000'000;

// 1 to kMaxConfigNameBytes of A-Za-z0-9._-
[[nodiscard]] bool is_config_name(std::string_view name);

// What was read before a refusal, which `value`'s fault then has.
[[nodiscard]] QueuePolicy read_queue(std::string_view name, const ConfigValue& value);

}  // namespace penstock
