// Sends attempts to HTTP handlers: one thread, thousands of requests in flight, connections kept
// alive. HTTP/1.1 without redirects and proxies.
//
// At most `max_in_flight` requests are open; further attempts wait in a queue (kMaxWaiting,
// inbox.h), and their timeouts have not begun. All functions may be called from any thread. The
// destructor closes open requests without reporting outcomes; the mailboxes must exist until then.
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
  // A server that has not accepted the connection by then counts as unreachable: an attempt with a
  // longer timeout ends as a retry, with the connection's error.
  static constexpr std::chrono::milliseconds kConnectTimeout{10'000};

  explicit HttpClient(std::size_t max_in_flight = kMaxInFlight,
                      std::chrono::milliseconds connect_timeout = kConnectTimeout);
  ~HttpClient();

  // Returns the endpoint's number, for a StartCommand. Endpoints exist as long as the client.
  [[nodiscard]] std::uint32_t add_endpoint(HttpEndpoint endpoint);
  void push(InboxCommand command);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace penstock
