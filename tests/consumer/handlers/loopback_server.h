// A real HTTP server on the loopback interface, and one that answers by hand for what a
// well-behaved server would not do.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <httplib.h>
#include <poll.h>
#include <sys/socket.h>

#include <functional>
#include <string>
#include <thread>

#include "consumer/handlers/io/fd.h"
#include "test_mailbox.h"

namespace penstock {

class LoopbackServer {
 public:
  explicit LoopbackServer(httplib::Server::Handler handler) {
    server_.new_task_queue = [] { return new httplib::ThreadPool(32); };
    server_.set_tcp_nodelay(true);
    server_.Post(".*", std::move(handler));
    port_ = server_.bind_to_any_port("127.0.0.1");
    thread_ = std::jthread([this] { server_.listen_after_bind(); });
    while (!server_.is_running()) std::this_thread::yield();
  }
  ~LoopbackServer() { server_.stop(); }

  [[nodiscard]] std::string url() const {
    return "http://127.0.0.1:" + std::to_string(port_) + "/jobs";
  }

 private:
  httplib::Server server_;
  int port_ = 0;
  std::jthread thread_;
};

// Accepts connections one after the other and hands each to `serve`, which owns what is said on it.
class RawServer {
 public:
  using Serve = std::function<void(int connection, int index)>;

  explicit RawServer(Serve serve) : listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(bind(listener_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(listen(listener_.get(), SOMAXCONN), 0);
    socklen_t size = sizeof address;
    getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    thread_ = std::jthread([this, serve = std::move(serve)] {
      for (int index = 0;; ++index) {
        const Fd connection(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
        if (!connection.is_open()) return;
        serve(connection.get(), index);
      }
    });
  }
  ~RawServer() { shutdown(listener_.get(), SHUT_RDWR); }

  [[nodiscard]] std::string url() const {
    return "http://127.0.0.1:" + std::to_string(port_) + "/";
  }

  // Until the blank line and as many bytes of body as the header says; false when the peer has
  // gone.
  static bool read_request(int connection) {
    std::string text;
    char buffer[4096];
    while (true) {
      const std::size_t head = text.find("\r\n\r\n");
      const std::size_t length = text.find("Content-Length: ");
      if (head != text.npos && length != text.npos &&
          text.size() >= head + 4 + std::stoul(text.substr(length + 16))) {
        return true;
      }
      const ssize_t got = recv(connection, buffer, sizeof buffer, 0);
      if (got <= 0) return false;
      text.append(buffer, static_cast<std::size_t>(got));
    }
  }
  static void say(int connection, std::string_view text) {
    send(connection, text.data(), text.size(), MSG_NOSIGNAL);
  }

 private:
  Fd listener_;
  int port_ = 0;
  std::jthread thread_;
};

}  // namespace penstock
