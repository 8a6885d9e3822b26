// The queues that a command applies to. A pure function.
#pragma once

#include <string>
#include <vector>

#include "consumer/config/config.h"
#include "consumer/policy/policy.h"
#include "topics/values/result.h"

namespace penstock {

// The named queues of the config, or all of them if none is named. If the config has no queues at
// all, a named one gets the default policy; otherwise, a name that is not in the config is an
// error.
[[nodiscard]] Result<std::vector<QueuePolicy>> chosen_queues(const Config& config,
                                                             const std::vector<std::string>& names);

}  // namespace penstock
