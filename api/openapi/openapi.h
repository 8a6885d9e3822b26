// The OpenAPI 3.1 document of the HTTP interface, generated from the table of its routes. Pure.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "api/route/route_table.h"

namespace penstock {

// Every route that has an id is an operation. Aborts if a route names a schema or a parameter that
// is not described (api/openapi/schemas.h).
[[nodiscard]] nlohmann::ordered_json openapi_document(const RouteTable& table,
                                                      const std::string& version);

}  // namespace penstock
