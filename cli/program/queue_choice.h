// The queues that a command is about. A pure function.
#pragma once

#include <string>
#include <vector>

#include "consumer/config/config.h"
#include "consumer/policy/policy.h"
#include "topics/values/result.h"

namespace penstock {

// The named queues of the config, or all of them when none is named. Where the config has no queue
// at all, a named one gets the default policy; otherwise a name that it does not have is refused.
[[nodiscard]] Result<std::vector<QueuePolicy>> chosen_queues(const Config& config,
                                                             const std::vector<std::string>& names);

}  // namespace penstock
