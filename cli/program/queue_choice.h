// The queues that a command applies to.
#pragma once

#include <string>
#include <vector>

#include "cli/program/program.h"
#include "consumer/config/config.h"
#include "consumer/policy/policy.h"
#include "topics/values/result.h"

namespace penstock {

struct NoSuchQueue : Error {
  bool not_found = false;  // otherwise, it is wrong usage
};
template <typename T>
using QueueChoice = tl::expected<T, NoSuchQueue>;

// The named queues of the config, or all of them if none is named. If the config has no queues at
// all, a named one gets the default policy; otherwise, a name that is not in the config is not
// found.
[[nodiscard]] QueueChoice<std::vector<QueuePolicy>> chosen_queues(
    const Config& config, const std::vector<std::string>& names);

// Prints the error, for use as `return fail(...)`.
Exit fail(Program& program, const NoSuchQueue& error);

}  // namespace penstock
