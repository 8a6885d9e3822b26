// The part of the config file that is one queue: /queues/NAME. For one thread.
#pragma once

#include <string_view>

#include "consumer/config/config_flow.h"
#include "consumer/config/config_reader.h"
#include "consumer/policy/policy.h"

namespace penstock {

inline constexpr int kMaxPartitions = 10'000;
inline constexpr int kMaxAccountConcurrency = 10'000;

// What the queues of one file have in common.
struct FileScope {
  std::string_view prefix;
  LimitAgreement limits = {};
};

// What was read before a refusal, which `value`'s fault then has.
[[nodiscard]] QueuePolicy read_queue(FileScope& file, std::string_view name,
                                     const ConfigValue& value);

}  // namespace penstock
