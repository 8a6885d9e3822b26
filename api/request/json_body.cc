#include "api/request/json_body.h"

#include "api/request/media_type.h"
#include "topics/json/json_document.h"

namespace penstock {

std::optional<Problem> read_object(const ApiRequest& request, nlohmann::json& object) {
  const Problem no_object{.status = 422, .detail = "expected a body that is one JSON object"};
  if (request.body.empty()) return no_object;
  if (!is_media_type(request.content_type, kJson)) return wrong_media_type(request, kJson);
  JsonDocument document;
  if (const auto fault = document.parse(request.body))
    return Problem{.status = 422, .detail = fault->detail, .member = fault->pointer};
  if (document.kind(JsonDocument::root()) != '{') return no_object;
  object = nlohmann::json::parse(request.body);
  return std::nullopt;
}

}  // namespace penstock
