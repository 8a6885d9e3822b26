// Reads the `retry` of one type in the config file. Used from one thread.
#pragma once

#include "consumer/config/config_reader.h"
#include "consumer/policy/retry_policy.h"

namespace penstock {

// After an error, which is in the fault of `value`, returns what it had read before.
[[nodiscard]] RetryPolicy read_retry(const ConfigValue& value);

}  // namespace penstock
