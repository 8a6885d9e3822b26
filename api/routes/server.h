// The HTTP server. A front (api/http) reads requests and sends replies; Access
// (api/routes/access.h) decides which requests are allowed; a pool of threads answers them by
// calling Routes.
//
// Health checks, reads and changes have separate threads: changes that wait for Kafka do not delay
// reads, and neither of them delays /healthz and /readyz.
//
// Made and destroyed by one thread. The destructor stops the server and waits for requests that are
// being answered.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "api/http/http_front.h"
#include "api/routes/routes.h"
#include "consumer/config/config.h"
#include "topics/values/result.h"

namespace penstock {

class Server {
 public:
  static constexpr std::size_t kHealthThreads = 1;
  static constexpr std::size_t kReadThreads = 4;
  static constexpr std::size_t kChangeThreads = 8;
  static constexpr std::size_t kMaxBodyBytes = 32 << 20;
  static constexpr std::size_t kMaxPathBytes = 2048;
  static constexpr int kMaxRequestsPerConnection = 1000;

  // Serves from now on. Fails if check_http() fails, if the token cannot be read, or if the address
  // is in use. `routes` must outlive the server.
  [[nodiscard]] static Result<std::unique_ptr<Server>> start(const HttpConfig& http, Routes& routes,
                                                             HttpLimits limits = {});
  ~Server();

  [[nodiscard]] int port() const;
  [[nodiscard]] std::string url() const;  // "http://127.0.0.1:8080"

 private:
  class Impl;
  explicit Server(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace penstock
