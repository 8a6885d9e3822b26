// The front of an HTTP server: one thread that accepts connections, reads requests and sends
// replies, and never waits for any of them. A slow client costs one connection and what it has
// sent, nothing else; answers are made elsewhere, on the caller's threads.
//
// Bounds, and what happens at them:
//  - connections: the one that has kept the front waiting longest for a request makes room
//  - bytes of all requests together: a request that goes beyond is refused with 503
//  - time to send a head, to send a body, and to take a reply: refused with 408, or ended
//
// Made, started, stopped and destroyed by one thread; reply() from any.
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
  std::chrono::milliseconds head_time{10'000};    // from a head's first byte to its last
  std::chrono::milliseconds body_pause{10'000};   // without a byte of the body
  std::chrono::milliseconds body_time{300'000};   // for all of it
  std::chrono::milliseconds write_pause{10'000};  // in which the client takes no byte of a reply
  std::chrono::milliseconds linger_time{2'000};   // for the client to read a last reply
  std::chrono::milliseconds stop_time{5'000};     // for replies that are owed when it stops
};

class HttpFront {
 public:
  using ConnectionId = std::uint64_t;
  // Called on the front's thread, so it must not wait: reply() is called for it once, at any time.
  using OnRequest = std::function<void(ConnectionId, HttpRequest)>;

  HttpFront(Fd listener, HttpRules rules, HttpLimits limits, OnRequest on_request);
  ~HttpFront() { stop(); }

  void start();
  // Of a connection that has gone it is dropped.
  void reply(ConnectionId connection, HttpReply reply);
  // Takes no more requests, sends the replies that are owed, and ends the thread.
  void stop();

 private:
  using Clock = Poller::Clock;
  struct Peer {
    Peer(Fd socket, const HttpRules& rules, Clock::time_point now)
        : fd(std::move(socket)), http(rules), since(now), last_bytes(now) {}
    Fd fd;
    HttpConnection http;
    HttpConnection::State state = HttpConnection::State::kIdle;
    Clock::time_point since;       // in this state
    Clock::time_point last_bytes;  // read or sent
    std::uint32_t events = 0;      // that the poller waits for
    std::size_t bytes_held = 0;    // as counted in the front's
    bool write_ended = false;
    bool gone = false;
  };
  using Peers = std::map<ConnectionId, Peer>;

  void run(const std::stop_token& stop);
  void turn();
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
  std::optional<Clock::time_point> accept_again_;  // there was no descriptor left
  std::optional<Clock::time_point> stop_at_;       // it stops, at the latest then
  Clock::time_point now_;
  ConnectionId next_id_ = 1;
  Peers peers_;
  std::size_t bytes_held_ = 0;  // over all connections
  std::mutex mutex_;
  std::vector<std::pair<ConnectionId, HttpReply>> replies_;  // given, not yet taken
  std::jthread thread_;
};

}  // namespace penstock
