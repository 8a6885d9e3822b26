// The JSON schemas that the routes name, for /openapi.json.
#pragma once

#include <nlohmann/json.hpp>

namespace penstock {

// By name.
[[nodiscard]] const nlohmann::ordered_json& openapi_schemas();
// The query's parameters, by name: each {"description", "schema"}.
[[nodiscard]] const nlohmann::ordered_json& openapi_parameters();

}  // namespace penstock
