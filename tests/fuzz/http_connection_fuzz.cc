// libFuzzer's way in: any bytes as what a client sends, in one piece and byte by byte. Both ways must
// give the same requests and the same replies; nothing after a refusal may be read as a request; and
// nothing may be read or written where it should not (the address sanitizer tells).
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "api/http/http_connection.h"

namespace penstock {
namespace {

constexpr std::size_t kMaxBody = 1000;

HttpRules rules() {
  return {.max_body_bytes = kMaxBody,
          .max_requests = 5,
          .refusal = [](const HttpHead& head) -> std::optional<HttpReply> {
            if (head.path != "/refuse") return std::nullopt;
            return HttpReply{.status = 403, .type = "text/plain", .body = "no"};
          },
          .fault_reply =
              [](const HttpFault& fault) {
                return HttpReply{
                    .status = fault.status, .type = "text/plain", .body = fault.detail};
              }};
}

[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

// What a connection makes of the bytes: its requests, then what it sends.
std::string run(const HttpRules& rules, std::string_view bytes, std::size_t piece) {
  HttpConnection connection(rules);
  std::string requests, sent;
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    connection.received(bytes.substr(at, piece));
    for (bool again = true; again;) {
      again = false;
      while (const auto request = connection.request()) {
        if (request->head.path == "/refuse") fail("a request that was refused was given out");
        if (request->body.size() > kMaxBody) fail("a body is too large");
        requests += request->head.method + " " + request->head.path + " " + request->body + "\n";
        connection.reply({.status = 200,
                          .type = "text/plain",
                          .body = "yes",
                          .stream = request->head.path == "/stream"});
        if (!connection.push("more")) fail("a short stream has no room");
        connection.finish();
        again = true;
      }
      const std::string_view unsent = connection.unsent();
      if (unsent.empty()) continue;
      sent += unsent;
      connection.sent(unsent.size());
      again = true;  // a pipelined request may follow
    }
    if (connection.is_over() && connection.request()) fail("a request came after the end");
  }
  // Sent at once, or not at all if the body has begun to arrive with the head.
  const std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
  for (std::size_t at = 0; (at = sent.find(kContinue)) != std::string::npos;)
    sent.erase(at, kContinue.size());
  return requests + "\n" + sent;
}

}  // namespace
}  // namespace penstock

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const penstock::HttpRules rules = penstock::rules();
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (penstock::run(rules, bytes, bytes.size() + 1) != penstock::run(rules, bytes, 1))
    penstock::fail("the pieces in which bytes arrive make a difference");
  return 0;
}
