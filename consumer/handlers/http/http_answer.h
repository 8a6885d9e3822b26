// How an HTTP response determines the outcome of the attempt:
//
//   2xx             done, or as the JSON object in the body says
//   410             discard
//   429, 503        snooze, if there is a Retry-After header
//   anything else   retry
//
// Pure functions, which may be called from any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "consumer/handlers/protocol/answer_json.h"

namespace penstock {

inline constexpr Duration kMaxRetryAfter = std::chrono::hours{24 * 7};  // longer ones are cut

struct HttpResponse {
  long status = 0;
  std::string retry_after;  // the header's value; empty if there is none
  std::string body;
};

// `items` are those of the request.
[[nodiscard]] Answer read_http_response(const HttpResponse& response, Time now,
                                        std::span<const AttemptItem> items = {});

// Parses seconds or an HTTP date (RFC 9110, 10.2.3); a past date is 0. Empty if it is neither.
[[nodiscard]] std::optional<Duration> parse_retry_after(std::string_view value, Time now);

}  // namespace penstock
