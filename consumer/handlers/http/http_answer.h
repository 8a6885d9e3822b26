// What an HTTP response means for the attempt (SPEC section 6):
//
//   2xx             done, or what the JSON object in its body says
//   410             discard
//   429, 503        snooze, when Retry-After says for how long
//   anything else   retry
//
// Pure functions, safe from any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "consumer/handlers/protocol/answer_json.h"

namespace penstock {

inline constexpr Duration kMaxRetryAfter =
    std::chrono::hours{24 * 7};  // a longer one is cut to this

struct HttpResponse {
  long status = 0;
  std::string retry_after;  // the header's value, empty when there is none
  std::string body;
};

// `items` are the request's.
[[nodiscard]] Answer read_http_response(const HttpResponse& response, Time now,
                                        std::span<const AttemptItem> items = {});

// Seconds, or an HTTP date (RFC 9110, 10.2.3); one that is past is 0. nullopt: neither.
[[nodiscard]] std::optional<Duration> parse_retry_after(std::string_view value, Time now);

}  // namespace penstock
