// Creates the id of a job that the sender gave none: a UUIDv7 of the current time. May be called
// from any thread.
#pragma once

#include <string>

namespace penstock {

[[nodiscard]] std::string new_job_id();

}  // namespace penstock
