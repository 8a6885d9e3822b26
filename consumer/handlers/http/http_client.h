// Carries attempts to HTTP handlers: one thread, thousands of requests in flight, connections kept
// alive. HTTP/1.1, no redirects, no proxies.
//
// At most `max_in_flight` requests are open; further attempts wait in line (kMaxWaiting, inbox.h),
// and their timeouts have not begun. The calls are safe from any thread. Destroying the client
// closes what is open and answers nothing; the mailboxes must live until then.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "consumer/handlers/http/http_endpoint.h"
#include "consumer/handlers/io/inbox.h"

namespace penstock {

class HttpClient {
 public:
  static constexpr std::size_t kMaxInFlight = 4096;
  // A server that has not taken the connection by then is away: an attempt with a longer timeout
  // ends as a retry, with the connection's error.
  static constexpr std::chrono::milliseconds kConnectTimeout{10'000};

  explicit HttpClient(std::size_t max_in_flight = kMaxInFlight,
                      std::chrono::milliseconds connect_timeout = kConnectTimeout);
  ~HttpClient();

  // Its number, for the endpoint of a StartCommand. Endpoints stay as long as the client.
  [[nodiscard]] std::uint32_t add_endpoint(HttpEndpoint endpoint);
  void push(InboxCommand command);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace penstock
