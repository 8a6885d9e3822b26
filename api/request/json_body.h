// The body of a request that is one JSON object. Pure.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "api/request/message.h"
#include "api/request/problem.h"

namespace penstock {

// Reads it as strictly as a job record is read (topics/json/json_document.h): otherwise a repeated
// member would silently replace the first. Returns a problem, with a status of 415 or 422, for any
// other body.
[[nodiscard]] std::optional<Problem> read_object(const ApiRequest& request, nlohmann::json& object);

}  // namespace penstock
