#include "consumer/handlers/http/http_transfer.h"

#include <algorithm>
#include <climits>

#include "consumer/config/handler_spec.h"
#include "consumer/handlers/http/webhook_signature.h"
#include "consumer/handlers/protocol/reason.h"
#include "consumer/handlers/protocol/request_json.h"
#include "consumer/policy/duration.h"
#include "consumer/policy/error_pattern.h"
#include "topics/values/check.h"
#include "topics/values/trimmed.h"

namespace penstock {
namespace {

constexpr std::string_view kRetryAfter = "retry-after:";
// A long request is silent. Without these probes, a firewall or NAT would forget its connection,
// and a server that is gone would be noticed only by the timeout.
constexpr long kKeepaliveIdleSeconds = 30, kKeepaliveIntervalSeconds = 10;

bool begins_with_name(std::string_view line, std::string_view name) {
  return line.size() >= name.size() &&
         std::equal(name.begin(), name.end(), line.begin(), [](char expected, char c) {
           return (c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c) == expected;
         });
}

template <typename Value>
void set(CURL* easy, CURLoption option, Value value) {
  PENSTOCK_CHECK(curl_easy_setopt(easy, option, value) == CURLE_OK,
                 "libcurl 7.88 takes this option");
}

}  // namespace

HttpTransfer::HttpTransfer(StartCommand start, const HttpEndpoint& endpoint,
                           std::chrono::milliseconds connect_timeout, CurlEasy easy, Time now)
    : start_(std::move(start)),
      endpoint_(endpoint),
      connect_timeout_(connect_timeout),
      body_(request_json(start_.request)),
      easy_(std::move(easy)) {
  set_headers(endpoint, now);
  set_options(endpoint);
}

void HttpTransfer::set_headers(const HttpEndpoint& endpoint, Time now) {
  const auto add = [&](const std::string& line) {
    curl_slist* list = curl_slist_append(headers_.get(), line.c_str());
    PENSTOCK_CHECK(list != nullptr, "out of memory");
    // The list's head may be the same as before, and reset() alone would free it.
    headers_.release();
    headers_.reset(list);
  };
  add("Content-Type: application/json");
  // otherwise bodies above 1 MiB would wait a second for a 100 that few servers send
  add("Expect:");
  const std::string id = webhook_id(start_.request);
  const std::int64_t timestamp = to_ms(now) / 1000;
  add("webhook-id: " + id);
  add("webhook-timestamp: " + std::to_string(timestamp));
  if (endpoint.keys.empty()) return;
  add("webhook-signature: " + webhook_signature(endpoint.keys, id, timestamp, body_));
}

void HttpTransfer::set_options(const HttpEndpoint& endpoint) {
  CURL* easy = easy_.get();
  set(easy, CURLOPT_PRIVATE, static_cast<void*>(this));
  set(easy, CURLOPT_URL, endpoint.url.c_str());
  set(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  set(easy, CURLOPT_PROXY, "");  // the config decides where jobs go, not the environment
  set(easy, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  // libcurl must not install signal handlers in a process with several threads.
  set(easy, CURLOPT_NOSIGNAL, 1L);
  set(easy, CURLOPT_USERAGENT, "penstock");
  set(easy, CURLOPT_HTTPHEADER, headers_.get());
  set(easy, CURLOPT_POSTFIELDS, body_.data());
  set(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body_.size()));
  const auto timeout = std::clamp<std::int64_t>(start_.request.timeout.count(), 1, INT_MAX);
  set(easy, CURLOPT_TIMEOUT_MS, static_cast<long>(timeout));
  set(easy, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(connect_timeout_.count()));
  set(easy, CURLOPT_TCP_KEEPALIVE, 1L);
  set(easy, CURLOPT_TCP_KEEPIDLE, kKeepaliveIdleSeconds);
  set(easy, CURLOPT_TCP_KEEPINTVL, kKeepaliveIntervalSeconds);
  set(easy, CURLOPT_ERRORBUFFER, error_.data());
  set(easy, CURLOPT_WRITEFUNCTION, &HttpTransfer::on_body);
  set(easy, CURLOPT_WRITEDATA, static_cast<void*>(this));
  set(easy, CURLOPT_HEADERFUNCTION, &HttpTransfer::on_header);
  set(easy, CURLOPT_HEADERDATA, static_cast<void*>(this));
}

std::size_t HttpTransfer::on_body(char* data, std::size_t size, std::size_t count, void* self) {
  auto& transfer = *static_cast<HttpTransfer*>(self);
  const std::size_t bytes = size * count;
  if (transfer.response_.body.size() + bytes > kMaxAnswerBytes) {
    transfer.is_too_large_ = true;
    return 0;  // aborts the transfer
  }
  transfer.response_.body.append(data, bytes);
  return bytes;
}

std::size_t HttpTransfer::on_header(char* data, std::size_t size, std::size_t count, void* self) {
  const std::string_view line(data, size * count);
  if (begins_with_name(line, kRetryAfter)) {
    static_cast<HttpTransfer*>(self)->response_.retry_after =
        trimmed(line.substr(kRetryAfter.size()));
  }
  return line.size();
}

Answer HttpTransfer::answer(CURLcode code, Time now) {
  if (is_too_large_) {
    return {RetryLater{"the answer is larger than 16 MiB", {}, std::string(kBadAnswerError)}, {}};
  }
  if (code == CURLE_OPERATION_TIMEDOUT) return timed_out();
  if (code != CURLE_OK) {
    const std::string_view detail = error_[0] != '\0' ? error_.data() : curl_easy_strerror(code);
    return {RetryLater{
                one_line("POST to " + shown_url(endpoint_.url) + " failed: " + std::string(detail)),
                {},
                std::string(kConnectionError)},
            {}};
  }
  curl_easy_getinfo(easy_.get(), CURLINFO_RESPONSE_CODE, &response_.status);
  return read_http_response(response_, now, start_.request.items);
}

// Either the attempt or only the connection has timed out; the latter is not the policy's timeout.
Answer HttpTransfer::timed_out() const {
  curl_off_t connected = 0;
  curl_easy_getinfo(easy_.get(), CURLINFO_PRETRANSFER_TIME_T, &connected);
  if (connected == 0 && connect_timeout_ < start_.request.timeout) {
    const std::string text = "POST to " + shown_url(endpoint_.url) +
                             " failed: no connection after " + duration_text(connect_timeout_);
    return {RetryLater{one_line(text), {}, std::string(kConnectionError)}, {}};
  }
  const std::string text = "timed out after " + duration_text(start_.request.timeout);
  return {RetryLater{text, {}, std::string(kTimeoutError)}, {}};
}

void HttpTransfer::post_answer(CURLcode code, Time now) {
  Answer ended = answer(code, now);
  curl_off_t took = 0;
  curl_easy_getinfo(easy_.get(), CURLINFO_TOTAL_TIME_T, &took);
  start_.mailbox->post(AttemptEnded{key(), std::move(ended.outcome), std::move(ended.enqueue),
                                    std::move(ended.items), std::chrono::microseconds(took)});
}

CurlEasy HttpTransfer::release() {
  curl_easy_reset(easy_.get());
  return std::move(easy_);
}

}  // namespace penstock
