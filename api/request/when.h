// The time that a request for a reschedule asks for. Pure.
#pragma once

#include <nlohmann/json.hpp>
#include <tl/expected.hpp>

#include "api/request/problem.h"
#include "topics/values/types.h"

namespace penstock {

// From the members `run_at` (RFC 3339, or milliseconds since 1970) or `in` (a duration from `now`,
// such as "5m") of the object; exactly one of them must be there. The problem has status 422.
[[nodiscard]] tl::expected<Time, Problem> asked_time(const nlohmann::json& object, Time now);

}  // namespace penstock
