#include "api/server/access.h"

#include "api/http/tls_channel.h"
#include "topics/values/printable.h"

namespace penstock {
namespace {

constexpr std::string_view kBearer = "Bearer ";

bool is_loopback_host(std::string_view host) {
  if (const auto address = parse_listen_address(host)) return address->is_loopback();
  const auto address = parse_listen_address(std::string(host) + ":80");
  return address && address->is_loopback();
}

bool is_own_origin(std::string_view origin, std::string_view host) {
  return origin == "http://" + std::string(host) || origin == "https://" + std::string(host);
}

// Without a token: whether a web page in somebody's browser may have sent it.
std::optional<Problem> foreign_request(const HttpHead& head, bool is_page) {
  const std::string_view host = head.field("host"), origin = head.field("origin"),
                         site = head.field("sec-fetch-site");
  // A page can have its own name resolve to 127.0.0.1; then its requests count as its own origin's,
  // and only the Host shows where they come from.
  if (!host.empty() && !is_loopback_host(host)) {
    return Problem{
        .status = 403,
        .detail = "the request was for the host \"" + std::string(host) +
                  "\", but without a token only loopback names are allowed: set /http/token_file",
        .kind = "foreign-origin"};
  }
  if (!origin.empty() && !is_own_origin(origin, host)) {
    return Problem{
        .status = 403,
        .detail = "pages from " + std::string(origin) + " may not send requests to this server",
        .kind = "foreign-origin"};
  }
  // Following a link to the page is no request of the other page's own.
  if (!is_page && !site.empty() && site != "same-origin" && site != "none") {
    return Problem{.status = 403,
                   .detail = "pages of another site may not send requests to this server",
                   .kind = "foreign-origin"};
  }
  return std::nullopt;
}

}  // namespace

tl::expected<Caller, NotAdmitted> Access::admit(const HttpHead& head, bool count_failure) {
  const RouteTable::Match match = routes_.match(head.method, head.path);
  // What does not exist is told only to those who may read.
  Scope scope = match.route ? match.route->spec.scope : Scope::kRead;
  if (scope == Scope::kMetrics) scope = open_metrics_ ? Scope::kOpen : Scope::kRead;
  if (scope == Scope::kOpen) return Caller{.address = head.peer};
  if (tokens_) return with_token(head, match, scope, count_failure);
  if (auto problem = foreign_request(head, head.path == "/"))
    return tl::unexpected(NotAdmitted{*std::move(problem)});
  return Caller{.address = head.peer};
}

tl::expected<Caller, NotAdmitted> Access::with_token(const HttpHead& head,
                                                     const RouteTable::Match& match, Scope scope,
                                                     bool count_failure) {
  std::string_view given = head.field("authorization");
  const bool bearer = given.size() > kBearer.size() &&
                      equal_ignoring_case(given.substr(0, kBearer.size()), kBearer);
  if (!bearer) return tl::unexpected(NotAdmitted{bad_token(head, !given.empty(), count_failure)});
  given.remove_prefix(kBearer.size());
  const auto tokens = tokens_->tokens();
  const AccessToken* const token = tokens->find(given);
  if (token == nullptr) return tl::unexpected(NotAdmitted{bad_token(head, true, count_failure)});
  if (!token->allows(scope)) {
    return tl::unexpected(
        NotAdmitted{{.status = 403,
                     .detail = "the token \"" + token->name + "\" does not have the scope \"" +
                               std::string(to_string(scope)) + "\"",
                     .kind = "missing-scope"},
                    token->name});
  }
  const auto queue = match.values.find("queue");
  // Of what names no queue, a list of queues is shortened to the token's own (Routes).
  const bool is_list = match.route && match.route->spec.lists_queues;
  const std::string_view name = queue == match.values.end() ? std::string_view() : queue->second;
  if (!is_list && !token->allows_queue(name)) {
    return tl::unexpected(
        NotAdmitted{{.status = 403,
                     .detail = "the token \"" + token->name + "\" is for other queues only",
                     .kind = "missing-scope"},
                    token->name});
  }
  return Caller{.name = token->name,
                .address = head.peer,
                .queues = token->queues,
                .operates = token->operates};
}

Problem Access::bad_token(const HttpHead& head, bool given, bool count_failure) {
  Problem problem{.status = 401, .detail = "send a token as \"Authorization: Bearer ...\""};
  if (!given) return problem;
  problem.detail = "the token is not known";
  if (!count_failure) return problem;
  if (failures_.failed(head.peer, AuthFailures::Clock::now())) {
    say_("a token that is not known, from " + printable(head.peer) + ", for " +
         printable(head.method) + " " + printable(head.path));
    return problem;
  }
  problem.status = 429;
  problem.detail = "too many tokens from this address are not known: try again later";
  return problem;
}

Status check_http(const HttpConfig& http) {
  const auto address = parse_listen_address(http.listen);
  if (!address) return tl::unexpected(address.error());
  if (!http.health_listen.empty()) {
    const auto health = parse_listen_address(http.health_listen);
    if (!health) return failure("/http/health_listen: " + health.error().message);
  }
  if (!http.certificate.empty()) {
    const auto certificate = TlsCertificate::load(http.certificate, http.key);
    if (!certificate) return failure("/http/tls: " + certificate.error().message);
  }
  if (address->is_loopback() || http.asks_for_tokens()) return {};
  return failure(http.listen +
                 " can be reached from other machines: set /http/token_file in the config, or "
                 "listen on a loopback address such as 127.0.0.1:8080");
}

}  // namespace penstock
