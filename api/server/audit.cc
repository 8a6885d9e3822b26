#include "api/server/audit.h"

#include "api/request/problem.h"
#include "topics/values/rfc3339.h"

namespace penstock {

std::string audit_line(const std::string& operation, const ApiRequest& request, int status,
                       Time at) {
  nlohmann::ordered_json line{{"audit", operation},         {"at", format_rfc3339(at)},
                              {"who", request.caller.name}, {"from", request.caller.address},
                              {"method", request.method},   {"path", request.path}};
  for (const auto& [name, value] : request.parameters) line["query"][name] = value;
  if (!request.body.empty() && request.body.size() <= kMaxAuditedBytes) {
    auto body = nlohmann::ordered_json::parse(request.body, nullptr, false);
    if (!body.is_discarded()) line["body"] = std::move(body);
  }
  line["status"] = status;
  return json_text(line);
}

}  // namespace penstock
