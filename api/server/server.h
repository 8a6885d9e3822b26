// The HTTP server. A front (api/http) reads requests and sends replies; Access
// (api/server/access.h) decides which requests are allowed; a pool of threads answers them by
// calling Routes.
//
// Health checks, reads, changes, and requests that wait for a job have separate threads: changes that wait for Kafka do not delay
// reads, and neither of them delays /healthz and /readyz. With an address of their own
// (`http.health_listen`), health checks also have a front, and so a thread and connections, of
// their own.
//
// Made and destroyed by one thread. The destructor stops the server and waits for requests that are
// being answered.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "api/http/http_front.h"
#include "api/routes/routes.h"
#include "consumer/config/config.h"
#include "topics/values/result.h"

namespace penstock {

// Where the server writes. Called from any thread; empty: nowhere.
struct ServerLogs {
  std::function<void(std::string_view level, const std::string& text)> log = {};
  std::function<void(const std::string& line)> audit = {};  // JSON (api/server/audit.h)
};

class Server {
 public:
  static constexpr std::size_t kHealthThreads = 1;
  static constexpr std::size_t kReadThreads = 4;
  static constexpr std::size_t kChangeThreads = 8;
  static constexpr std::size_t kWaitingThreads = 64;  // of requests with ?wait
  static constexpr std::size_t kMaxBodyBytes = 32 << 20;
  static constexpr std::size_t kMaxPathBytes = 2048;
  static constexpr int kMaxRequestsPerConnection = 1000;

  // Serves from now on. Fails if check_http() fails, if a token or the certificate cannot be read,
  // or if an address is in use. `routes` must outlive the server.
  [[nodiscard]] static Result<std::unique_ptr<Server>> start(const HttpConfig& http, Routes& routes,
                                                             HttpLimits limits = {},
                                                             ServerLogs logs = {});
  ~Server();

  [[nodiscard]] int port() const;
  [[nodiscard]] int health_port() const;  // 0: health checks have no address of their own
  [[nodiscard]] std::string url() const;  // "http://127.0.0.1:8080"

 private:
  class Impl;
  explicit Server(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace penstock
