// Converts a follow-up job of a C++ handler into its job record. A pure function.
#pragma once

#include "consumer/job/handler.h"
#include "penstock/worker.h"

namespace penstock {

// Throws nlohmann's type_error if a string of the job is not UTF-8, and std::invalid_argument if
// its raw arguments are not JSON, or if a header has no name, a reserved one or too many bytes.
[[nodiscard]] FollowUp to_follow_up(const JobRequest& job);

}  // namespace penstock
