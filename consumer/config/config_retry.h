// The part of the config file that is one type's `retry`. For one thread.
#pragma once

#include "consumer/config/config_reader.h"
#include "consumer/policy/retry_policy.h"

namespace penstock {

// What was read before a refusal, which `value`'s fault then has.
[[nodiscard]] RetryPolicy read_retry(const ConfigValue& value);

}  // namespace penstock
