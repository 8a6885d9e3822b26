// Decides which requests are allowed. Pure, except for read_token_file().
//
// - With a token, every path requires `Authorization: Bearer <token>` except /healthz, /readyz and,
//   unless `open_metrics` is false, /metrics.
// - Without a token (possible only on loopback), a web page must not be able to send requests
//   through somebody's browser: for requests below /v1, the Host must be a loopback name, and an
//   Origin must be the server's own.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/request/problem.h"
#include "consumer/config/config.h"
#include "topics/values/result.h"

namespace penstock {

// The parts of a request that determine whether it is allowed.
struct RequestHead {
  std::string path;
  std::string authorization, host, origin;  // header values; empty if absent
};

class Access {
 public:
  Access(std::string token, bool open_metrics)
      : token_(std::move(token)), open_metrics_(open_metrics) {}

  // Empty: the request is allowed.
  [[nodiscard]] std::optional<Problem> refusal(const RequestHead& head) const;

 private:
  [[nodiscard]] bool is_open(std::string_view path) const;

  std::string token_;  // empty: none
  bool open_metrics_;
};

// The first line of the token file; empty if `path` is empty. Fails if the file is empty or cannot
// be read.
[[nodiscard]] Result<std::string> read_token_file(const std::string& path);

// Fails on an invalid address, and on a public address without a token file.
[[nodiscard]] Status check_http(const HttpConfig& http);

}  // namespace penstock
