// The body of a request that is one JSON object, or nothing. Pure.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "api/request/message.h"
#include "api/request/problem.h"

namespace penstock {

// Reads it as strictly as a job record is read (topics/json/json_document.h): a member that is
// there twice would otherwise count once, and nobody would know which. No body is an empty object.
// A problem, with a status of 415 or 422: the body is something else.
[[nodiscard]] std::optional<Problem> read_object(const ApiRequest& request, nlohmann::json& object);

}  // namespace penstock
