// The HTTP server: sockets, threads, who may ask (api/access) and the size of bodies. What is
// answered is Routes' matter. The HTTP library stays in the .cc file.
//
// Made and destroyed by one thread; destroying it stops it, and waits for requests that are being
// answered.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include "api/routes.h"
#include "consumer/config.h"
#include "topics/result.h"

namespace penstock {

class Server {
 public:
  static constexpr std::size_t kThreads = 8;
  static constexpr std::size_t kMaxWaitingConnections = 64;
  static constexpr std::size_t kMaxBodyBytes = 32 << 20;
  static constexpr std::size_t kMaxPathBytes = 2048;
  static constexpr std::size_t kMaxRequestsAConnection = 1000;
  static constexpr std::chrono::seconds kIdleConnection{1};  // so that a stop need not wait longer
  static constexpr std::chrono::seconds kReadTimeout{10};

  // Serves from now on. Refuses what check_http refuses, an unreadable token, and an address that
  // is taken. `routes` must outlive the server.
  [[nodiscard]] static Result<std::unique_ptr<Server>> start(const HttpConfig& http,
                                                             Routes& routes);
  ~Server();

  [[nodiscard]] int port() const;
  [[nodiscard]] std::string url() const;  // "http://127.0.0.1:8080"

 private:
  class Impl;
  explicit Server(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace penstock
