// One connection of an HttpFront: its socket, what encrypts it, and the HttpConnection behind them.
// Belongs to the front's thread.
#pragma once

#include <asio/ip/tcp.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "api/http/http_connection.h"
#include "api/http/http_limits.h"
#include "api/http/tls_channel.h"

namespace penstock {

// Shared with the socket's outstanding operations, which end only after the front has let go of it.
class HttpSession : public std::enable_shared_from_this<HttpSession> {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t kReadBytes = 64 << 10;  // from one connection at a time

  struct Parts {
    std::uint64_t id = 0;
    std::string address;  // the client's
    const HttpRules& rules;
    const HttpLimits& limits;
    std::optional<TlsChannel> tls = {};
  };
  // Called after each change of the connection.
  using Changed = std::function<void(HttpSession&)>;

  HttpSession(asio::ip::tcp::socket socket, Parts parts, Changed changed);

  void start();
  // Sends, and reads on, as far as the connection wants it. To be called after every change of it.
  void settle();
  // At this time, if nothing changes before, expire() is to be called.
  [[nodiscard]] std::optional<Clock::time_point> deadline() const;
  void expire();
  void close();

  [[nodiscard]] HttpConnection& http() { return http_; }
  [[nodiscard]] const HttpConnection& http() const { return http_; }
  [[nodiscard]] std::uint64_t id() const { return parts_.id; }
  [[nodiscard]] const std::string& address() const { return parts_.address; }
  [[nodiscard]] bool gone() const { return gone_; }
  [[nodiscard]] Clock::time_point since() const { return since_; }
  // Everything has been sent, and no request is being answered.
  [[nodiscard]] bool owes_nothing() const;

  // For the front's accounts.
  std::size_t bytes_held = 0;
  bool streams = false;

 private:
  void read();
  void on_readable();
  void write();
  void seal();
  void received(std::string_view bytes);
  [[nodiscard]] std::string_view to_send() const;
  void end_of_writing();

  asio::ip::tcp::socket socket_;
  Parts parts_;
  Changed changed_;
  HttpConnection http_;
  HttpConnection::State state_ = HttpConnection::State::kIdle;
  Clock::time_point since_;       // when it entered this state
  Clock::time_point last_bytes_;  // when bytes were last read or sent
  std::string sealed_;            // what TLS has made of the reply, not sent yet
  bool reading_ = false, writing_ = false;
  bool write_ended_ = false;
  bool gone_ = false;
};

}  // namespace penstock
