// The front end of an HTTP server: one thread that accepts connections, reads requests and sends
// replies, and never waits for any single one of them. A slow client costs one connection and the
// bytes that it has sent, nothing else. The replies are created elsewhere, on the caller's threads.
//
// The bounds, and what happens there:
// - connections: the one that has kept the front waiting longest for a request is closed;
// - bytes of all requests together: a request that would exceed it is refused with 503;
// - the times to send a head, to send a body and to read a reply: refused with 408, or closed.
//
// Made, started, stopped and destroyed by one thread; reply() may be called from any.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "api/http/http_connection.h"
#include "consumer/handlers/io/fd.h"
#include "consumer/handlers/io/poller.h"

namespace penstock {

struct HttpLimits {
  std::size_t max_connections = 256;
  std::size_t max_bytes_held = 256 << 20;
  std::chrono::milliseconds idle_time{60'000};    // between two requests
  std::chrono::milliseconds head_time{10'000};    // from the first byte of a head to its last
  std::chrono::milliseconds body_pause{10'000};   // without any byte of the body
  std::chrono::milliseconds body_time{300'000};   // for the whole body
  std::chrono::milliseconds write_pause{10'000};  // without the client reading any byte of a reply
  std::chrono::milliseconds linger_time{2'000};   // for the client to read a last reply
  std::chrono::milliseconds stop_time{5'000};     // for outstanding replies when the front stops
};

class HttpFront {
 public:
  using ConnectionId = std::uint64_t;
  // Called on the front's thread, so it must not wait. Exactly one reply() must follow, at any
  // time.
  using OnRequest = std::function<void(ConnectionId, HttpRequest)>;

  HttpFront(Fd listener, HttpRules rules, HttpLimits limits, OnRequest on_request);
  ~HttpFront() { stop(); }

  void start();
  // The reply is dropped if the connection no longer exists.
  void reply(ConnectionId connection, HttpReply reply);
  // Accepts no more requests, sends the outstanding replies, and ends the thread.
  void stop();

 private:
  using Clock = Poller::Clock;
  struct Peer {
    Peer(Fd socket, const HttpRules& rules, Clock::time_point now)
        : fd(std::move(socket)), http(rules), since(now), last_bytes(now) {}
    Fd fd;
    HttpConnection http;
    HttpConnection::State state = HttpConnection::State::kIdle;
    Clock::time_point since;       // when it entered this state
    Clock::time_point last_bytes;  // when bytes were last read or sent
    std::uint32_t events = 0;      // the ones that the poller waits for
    std::size_t bytes_held = 0;    // as included in the front's bytes_held_
    bool write_ended = false;
    bool gone = false;
  };
  using Peers = std::map<ConnectionId, Peer>;

  void run(const std::stop_token& stop);
  void pass();
  void take_replies();
  void accept_some();
  void add(Fd socket);
  [[nodiscard]] bool make_room();
  void ready(ConnectionId id, Peer& peer, std::uint32_t events);
  void read_some(Peer& peer);
  void write_some(Peer& peer);
  void settle(ConnectionId id, Peer& peer);
  void recount(Peer& peer);
  void pause_accepting();
  void accept_again();
  void end_late();
  void remove_gone();
  void begin_stop();
  [[nodiscard]] bool owes_replies() const;
  [[nodiscard]] std::optional<Clock::time_point> deadline(const Peer& peer) const;
  [[nodiscard]] std::optional<Clock::time_point> next_deadline() const;

  const HttpRules rules_;
  const HttpLimits limits_;
  const OnRequest on_request_;
  Poller poller_;
  Fd listener_;
  std::optional<Clock::time_point> accept_again_;  // set while no descriptor was available
  std::optional<Clock::time_point> stop_at_;       // set while it stops: the latest end
  Clock::time_point now_;
  ConnectionId next_id_ = 1;
  Peers peers_;
  std::size_t bytes_held_ = 0;  // of all connections
  std::mutex mutex_;
  std::vector<std::pair<ConnectionId, HttpReply>> replies_;  // given, but not yet taken
  std::jthread thread_;
};

}  // namespace penstock
