// A connection of the test's own, so that it can send what no client library would.
#pragma once

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <string>
#include <string_view>
#include <utility>

namespace penstock {

class RawConnection {
 public:
  explicit RawConnection(int port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<std::uint16_t>(port));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const timeval patience{60, 0};  // so that a fault is a failed test and not one that hangs
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    connected_ = ::connect(socket_, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0;
  }
  RawConnection(RawConnection&& other) noexcept
      : socket_(std::exchange(other.socket_, -1)), connected_(other.connected_) {}
  RawConnection& operator=(RawConnection&&) = delete;
  ~RawConnection() {
    if (socket_ >= 0) ::close(socket_);
  }

  [[nodiscard]] bool connected() const { return connected_; }
  // False when the other end has closed.
  bool send(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  // Up to `end`, or to the end of the connection.
  std::string read_until(std::string_view end) {
    char bytes[4096];
    std::size_t at = 0;
    while ((at = received_.find(end)) == std::string::npos) {
      const ssize_t got = ::recv(socket_, bytes, sizeof bytes, 0);
      if (got <= 0) return std::exchange(received_, {});
      received_.append(bytes, static_cast<std::size_t>(got));
    }
    std::string text = received_.substr(0, at + end.size());
    received_.erase(0, text.size());
    return text;
  }
  // Up to `end` on this connection or on the other, whichever has it first.
  std::string read_until_either(std::string_view end, RawConnection& other) {
    pollfd sockets[] = {{socket_, POLLIN, 0}, {other.socket_, POLLIN, 0}};
    if (::poll(sockets, 2, 60'000) <= 0) return {};
    return (sockets[0].revents != 0 ? *this : other).read_until(end);
  }
  // What has arrived, at least one byte; empty at the end.
  [[nodiscard]] std::string read_some() const {
    char bytes[4096];
    const ssize_t got = ::recv(socket_, bytes, sizeof bytes, 0);
    return {bytes, got > 0 ? static_cast<std::size_t>(got) : 0};
  }
  void end_sending() const { ::shutdown(socket_, SHUT_WR); }
  // All until the other end closes; `ended` says whether it did.
  std::string read_all(bool* ended = nullptr) {
    char bytes[4096];
    ssize_t got = 0;
    while ((got = ::recv(socket_, bytes, sizeof bytes, 0)) > 0)
      received_.append(bytes, static_cast<std::size_t>(got));
    if (ended) *ended = got == 0;
    return std::exchange(received_, {});
  }

 private:
  int socket_;
  bool connected_ = false;
  std::string received_;
};

}  // namespace penstock
