// The front end of an HTTP server: one thread (Asio) that accepts connections, reads requests and
// sends replies, and never waits for any single one of them. A slow client costs one connection and
// the bytes that it has sent, nothing else. The replies are created elsewhere, on the caller's
// threads.
//
// The bounds, and what happens there:
// - connections, in total and per address: the one that has kept the front waiting longest for a
//   request is closed;
// - bytes of all requests together: a request that would exceed it is refused with 503;
// - the times to send a head, to send a body and to read a reply: refused with 408, or closed;
// - bytes of a stream that the client has not read: the connection is closed.
//
// Made, started, stopped and destroyed by one thread; reply(), push() and finish() may be called
// from any.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "api/http/http_connection.h"
#include "api/http/http_limits.h"
#include "api/http/tls_channel.h"
#include "consumer/handlers/io/fd.h"

namespace penstock {

class HttpFront {
 public:
  using ConnectionId = std::uint64_t;
  struct Hooks {
    // Called on the front's thread, so it must not wait. Exactly one reply() must follow, at any
    // time.
    std::function<void(ConnectionId, HttpRequest)> on_request;
    // A connection that was given a stream has ended. May be empty.
    std::function<void(ConnectionId)> on_stream_gone = {};
    // The certificate of a new connection; empty: connections are not encrypted.
    std::function<TlsCertificate()> certificate = {};
  };

  HttpFront(Fd listener, HttpRules rules, HttpLimits limits, Hooks hooks);
  ~HttpFront();

  void start();
  // The reply is dropped if the connection no longer exists.
  void reply(ConnectionId connection, HttpReply reply);
  // Of a reply that is a stream.
  void push(ConnectionId connection, std::string piece);
  void finish(ConnectionId connection);
  // Accepts no more requests, sends the outstanding replies, and ends the thread.
  void stop();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace penstock
