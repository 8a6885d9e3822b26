// Decides which requests are allowed, and who sent them.
//
// - With tokens, every path requires `Authorization: Bearer <token>` except those that are open; the
//   token must have the route's scope and, if it is bound to queues, the path must name one of them.
// - Without a token (possible only on loopback), a web page must not be able to send requests
//   through somebody's browser: the Host must be a loopback name, an Origin must be the server's own,
//   and the browser must not say that another site sends the request (Sec-Fetch-Site).
//
// Thread-safe.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "api/http/http_head.h"
#include "api/request/message.h"
#include "api/request/problem.h"
#include "api/route/route_table.h"
#include "api/server/auth_failures.h"
#include "api/server/token_files.h"
#include "consumer/config/config.h"
#include "topics/values/result.h"

namespace penstock {

// Why a request is refused, and whom the token names if it is known.
struct NotAdmitted {
  Problem problem;
  std::string who = Caller().name;
};

class Access {
 public:
  // Tokens that failed are written to `say`, except those beyond the rate (AuthFailures).
  using Say = std::function<void(const std::string&)>;

  // `tokens`: null if none are asked for.
  Access(std::unique_ptr<TokenFiles> tokens, bool open_metrics, const RouteTable& routes, Say say)
      : tokens_(std::move(tokens)),
        open_metrics_(open_metrics),
        routes_(routes),
        say_(std::move(say)) {}

  // Who sent the request, or why it is refused. `count_failure`: of a token, towards the rate.
  [[nodiscard]] tl::expected<Caller, NotAdmitted> admit(const HttpHead& head, bool count_failure);

 private:
  [[nodiscard]] tl::expected<Caller, NotAdmitted> with_token(const HttpHead& head,
                                                             const RouteTable::Match& match,
                                                             Scope scope, bool count_failure);
  [[nodiscard]] Problem bad_token(const HttpHead& head, bool given, bool count_failure);

  std::unique_ptr<TokenFiles> tokens_;
  const bool open_metrics_;
  const RouteTable& routes_;
  const Say say_;
  AuthFailures failures_;
};

// Fails on an invalid address, and on a public address without a token.
[[nodiscard]] Status check_http(const HttpConfig& http);

}  // namespace penstock
