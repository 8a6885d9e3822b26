#include "api/request/json_body.h"

#include "api/request/media_type.h"
#include "topics/json/json_document.h"

namespace penstock {

std::optional<Problem> read_object(const ApiRequest& request, nlohmann::json& object) {
  object = nlohmann::json::object();
  if (request.body.empty()) return std::nullopt;
  if (!is_media_type(request.content_type, kJson)) {
    return Problem{
        .status = 415,
        .detail = "found Content-Type \"" + request.content_type + "\", expected application/json"};
  }
  JsonDocument document;
  if (const auto fault = document.parse(request.body))
    return Problem{.status = 422, .detail = fault->detail, .member = fault->pointer};
  if (document.kind(JsonDocument::root()) != '{')
    return Problem{.status = 422, .detail = "expected a body that is one JSON object"};
  object = nlohmann::json::parse(request.body);
  return std::nullopt;
}

}  // namespace penstock
