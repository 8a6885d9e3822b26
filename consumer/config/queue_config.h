// Reads one queue of the config file, /queues/NAME. Used from one thread.
#pragma once

#include <string_view>

#include "consumer/config/config_flow.h"
#include "consumer/config/config_reader.h"
#include "consumer/policy/policy.h"

namespace penstock {

inline constexpr int kMaxPartitions = 10'000;
inline constexpr int kMaxAccountConcurrency = 10'000;

// What the queues of one file share.
struct FileScope {
  std::string_view prefix;
  LimitAgreement limits = {};
};

// After an error, which is in the fault of `value`, returns what it had read before.
[[nodiscard]] QueuePolicy read_queue(FileScope& file, std::string_view name,
                                     const ConfigValue& value);

}  // namespace penstock
