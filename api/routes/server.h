// The HTTP server: a front (api/http) that reads and writes, threads that answer, and between them
// the question which requests are let in (api/access). The answers themselves are Routes' matter.
//
// Health checks, reading and changing have threads of their own: changes that wait for Kafka hold
// up no reading, and neither holds up /healthz and /readyz.
//
// Made and destroyed by one thread; destroying it stops it, and waits for requests that are being
// answered.
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

  // Serves from now on. Refuses what check_http refuses, an unreadable token, and an address that
  // is taken. `routes` must outlive the server.
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
