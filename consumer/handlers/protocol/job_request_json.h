// A follow-up job of a C++ handler as the job record that it becomes (SPEC section 4). A pure
// function.
#pragma once

#include "consumer/job/handler.h"
#include "penstock/worker.h"

namespace penstock {

// Throws nlohmann's type_error when a string in the job is no UTF-8, as the handler's own call
// would, and std::invalid_argument when its raw arguments are no JSON.
[[nodiscard]] FollowUp to_follow_up(const JobRequest& job);

}  // namespace penstock
