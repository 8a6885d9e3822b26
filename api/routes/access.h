// Who may ask what. Pure.
//
//  - With a token every path needs `Authorization: Bearer <token>`, but /healthz, /readyz and,
//  unless
//    `open_metrics` is false, /metrics.
//  - Without one (loopback only) a browser must not be made to ask for others: the Host of a
//  request below
//    /v1 is a loopback one, and an Origin is the server's own.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/request/problem.h"
#include "consumer/config/config.h"
#include "topics/values/result.h"

namespace penstock {

// What of a request's head decides.
struct RequestHead {
  std::string path;
  std::string authorization, host, origin;  // header values, empty when absent
};

class Access {
 public:
  Access(std::string token, bool open_metrics)
      : token_(std::move(token)), open_metrics_(open_metrics) {}

  // Nothing: let it pass.
  [[nodiscard]] std::optional<Problem> refusal(const RequestHead& head) const;

 private:
  [[nodiscard]] bool is_open(std::string_view path) const;

  std::string token_;  // empty: none
  bool open_metrics_;
};

// The first line of the token file; empty without a file. Refuses one that is empty or cannot be
// read.
[[nodiscard]] Result<std::string> read_token_file(const std::string& path);

// Refuses an address that is none, and a public one without a token file.
[[nodiscard]] Status check_http(const HttpConfig& http);

}  // namespace penstock
