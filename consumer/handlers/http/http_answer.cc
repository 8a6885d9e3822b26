#include "consumer/handlers/http/http_answer.h"

#include <curl/curl.h>

#include <algorithm>
#include <charconv>

#include "consumer/handlers/protocol/reason.h"

namespace penstock {
namespace {

std::string status_text(const HttpResponse& response) {
  std::string text = "HTTP status " + std::to_string(response.status);
  if (response.status >= 300 && response.status < 400) text += " (redirects are not followed)";
  if (!response.body.empty()) text += ": " + quoted_start(response.body);
  return text;
}

Duration bounded(std::chrono::seconds in) {
  return std::clamp<Duration>(
      std::min<std::chrono::seconds>(
          in, std::chrono::duration_cast<std::chrono::seconds>(kMaxRetryAfter)),
      Duration{0}, kMaxRetryAfter);
}

}  // namespace

std::optional<Duration> parse_retry_after(std::string_view value, Time now) {
  if (value.empty()) return std::nullopt;
  if (value.find_first_not_of("0123456789") == value.npos) {
    std::int64_t seconds = 0;
    const auto parsed = std::from_chars(value.data(), value.data() + value.size(), seconds);
    return parsed.ec == std::errc{} ? bounded(std::chrono::seconds{seconds}) : kMaxRetryAfter;
  }
  // The header may also be a date.
  const time_t at = curl_getdate(std::string(value).c_str(), nullptr);
  if (at < 0) return std::nullopt;
  return bounded(std::chrono::ceil<std::chrono::seconds>(time_from_ms(at * 1000) - now));
}

Answer read_http_response(const HttpResponse& response, Time now,
                          std::span<const AttemptItem> items) {
  if (response.status >= 200 && response.status < 300)
    return read_http_answer(response.body, items);
  // The receiver says that it is gone for good: no retry would help.
  if (response.status == 410) return {Discard{status_text(response)}, {}};
  // The receiver is overloaded and says until when. The job is not to blame, so no attempt is used
  // up.
  if (response.status == 429 || response.status == 503) {
    if (const auto in = parse_retry_after(response.retry_after, now)) return {Snooze{*in}, {}};
  }
  return {RetryLater{status_text(response), {}, std::to_string(response.status)}, {}};
}

}  // namespace penstock
