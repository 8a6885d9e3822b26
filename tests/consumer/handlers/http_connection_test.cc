// The connections of HTTP handlers: how long one may take to come about, and that it is kept alive.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <fstream>
#include <string>
#include <vector>

#include "consumer/handlers/http/http_executor.h"
#include "consumer/policy/error_pattern.h"
#include "loopback_server.h"
#include "test_mailbox.h"

namespace penstock {
namespace {

using namespace std::chrono_literals;

// An address that answers no more connections: it accepts none, and those that may wait do.
class FullServer {
 public:
  FullServer() : listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    address_.sin_family = AF_INET;
    address_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(bind(listener_.get(), reinterpret_cast<sockaddr*>(&address_), sizeof address_), 0);
    EXPECT_EQ(listen(listener_.get(), 0), 0);
    socklen_t size = sizeof address_;
    getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address_), &size);
    while (connects()) {
    }
  }
  [[nodiscard]] std::string url() const {
    return "http://127.0.0.1:" + std::to_string(ntohs(address_.sin_port)) + "/";
  }

 private:
  bool connects() {
    Fd client(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    static_cast<void>(
        connect(client.get(), reinterpret_cast<sockaddr*>(&address_), sizeof address_));
    pollfd connected{client.get(), POLLOUT, 0};
    const bool does = poll(&connected, 1, 200) == 1;
    waiting_.push_back(std::move(client));
    return does;
  }

  Fd listener_;
  sockaddr_in address_{};
  std::vector<Fd> waiting_;
};

RetryLater failure_at(const std::string& url, Duration connect_timeout, Duration timeout) {
  TestMailbox mailbox;
  HttpClient client(HttpClient::kMaxInFlight, connect_timeout);
  HttpExecutor http(client, {url, {}});
  AttemptRequest attempt = request(1);
  attempt.timeout = timeout;
  http.start(std::move(attempt), mailbox);
  return as<RetryLater>(mailbox.outcome());
}

TEST(HttpConnection, AServerThatTakesNoneIsNoTimeoutOfTheAttempt) {
  const FullServer server;
  const RetryLater failed = failure_at(server.url(), 300ms, 1h);
  EXPECT_EQ(failed.error, "POST to " + server.url() + " failed: no connection after 300ms");
  EXPECT_EQ(failed.error_class, kConnectionError);
}

TEST(HttpConnection, AnAttemptThatIsOverBeforeItHasConnectedTimesOut) {
  const FullServer server;
  const RetryLater failed = failure_at(server.url(), 1h, 300ms);
  EXPECT_EQ(failed.error, "timed out after 300ms");
  EXPECT_EQ(failed.error_class, kTimeoutError);
}

// Of a connection of this machine's, as the kernel lists it: "sl local remote state queues timer".
bool has_keepalive_timer(int server_port) {
  constexpr const char* kKeepalive = "02:";
  char port[8];
  std::snprintf(port, sizeof port, ":%04X", server_port);
  std::ifstream table("/proc/net/tcp");
  for (std::string line; std::getline(table, line);) {
    std::istringstream fields(line);
    std::string number, local, remote, state, queues, timer;
    fields >> number >> local >> remote >> state >> queues >> timer;
    if (remote.ends_with(port) && timer.starts_with(kKeepalive)) return true;
  }
  return false;
}

TEST(HttpConnection, IsKeptAliveWhileARequestTakesLong) {
  bool is_kept_alive = false;
  int port = 0;
  const LoopbackServer server([&](const httplib::Request& asked, httplib::Response&) {
    port = std::stoi(asked.get_header_value("Host").substr(std::string("127.0.0.1:").size()));
    const auto until = std::chrono::steady_clock::now() + 20s;
    while (!is_kept_alive && std::chrono::steady_clock::now() < until) {
      is_kept_alive = has_keepalive_timer(port);
    }
  });
  TestMailbox mailbox;
  HttpClient client;
  HttpExecutor http(client, {server.url(), {}});
  http.start(request(1), mailbox);
  as<Done>(mailbox.outcome());
  EXPECT_TRUE(is_kept_alive) << port;
}

}  // namespace
}  // namespace penstock
