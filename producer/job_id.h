// The id that a job gets when its sender gives none: a UUIDv7 of this moment. Safe from any thread.
#pragma once

#include <string>

namespace penstock {

[[nodiscard]] std::string new_job_id();

}  // namespace penstock
