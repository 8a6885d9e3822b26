// The audit log: one line of JSON for each request that changes something, whatever its outcome,
// and for each one that was not allowed to.
//
//   {"audit": operation, "at": time, "who": token's name, "from": address, "method", "path",
//    "query"?, "body"?, "status": n}
//
// Pure.
#pragma once

#include <string>

#include "api/request/message.h"

namespace penstock {

inline constexpr std::size_t kMaxAuditedBytes = 2'048;  // of a body; a longer one is left out

// `operation`: the route's id.
[[nodiscard]] std::string audit_line(const std::string& operation, const ApiRequest& request,
                                     int status, Time at);

}  // namespace penstock
