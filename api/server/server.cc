#include "api/server/server.h"

#include <atomic>
#include <exception>
#include <optional>
#include <utility>

#include "api/http/answer_pool.h"
#include "api/http/listening_socket.h"
#include "api/live/event_streams.h"
#include "api/page/page.h"
#include "api/request/media_type.h"
#include "api/request/problem.h"
#include "api/server/access.h"
#include "api/server/audit.h"
#include "api/server/certificate_files.h"

namespace penstock {
namespace {

constexpr std::string_view kForm = "application/x-www-form-urlencoded";

ApiRequest request_of(HttpRequest from, Caller caller) {
  return {.method = std::move(from.head.method),
          .path = std::move(from.head.path),
          .parameters = std::move(from.head.parameters),
          .content_type = std::string(from.head.field("content-type")),
          .body = std::move(from.body),
          .idempotency_key = std::string(from.head.field("idempotency-key")),
          .accept_encoding = std::string(from.head.field("accept-encoding")),
          .if_none_match = std::string(from.head.field("if-none-match")),
          .caller = std::move(caller)};
}

HttpReply http_reply(ApiReply reply) {
  return {.status = reply.status,
          .type = std::move(reply.type),
          .body = std::move(reply.body),
          .fields = std::move(reply.headers),
          .stream = reply.stream};
}

ApiReply problem_reply(const Problem& problem) {
  ApiReply reply = reply_of(problem);
  // A 401 must name the scheme (RFC 9110, section 15.5.2).
  if (problem.status == 401) reply.headers["WWW-Authenticate"] = "Bearer";
  if (problem.status == 429 || problem.status == 503) reply.headers["Retry-After"] = "1";
  return reply;
}

HttpReply fault_reply(const HttpFault& fault) {
  return http_reply(problem_reply({.status = fault.status, .detail = fault.detail}));
}

Problem server_stops() {
  return {.status = 503,
          .detail = "the worker is stopping: ask another one, or this one when it runs again"};
}

// A copy of a request, without its body if that is jobs, or is too long to be audited.
ApiRequest without_jobs(ApiRequest& request, Scope scope) {
  if (scope != Scope::kProduce && request.body.size() <= kMaxAuditedBytes) return request;
  std::string body = std::exchange(request.body, {});
  ApiRequest copy = request;
  request.body = std::move(body);
  return copy;
}

bool is_health(std::string_view path) { return path == "/healthz" || path == "/readyz"; }

std::string url_of(const ListenAddress& address, bool tls) {
  const bool v6 = address.host.find(':') != address.host.npos;
  return (tls ? "https://" : "http://") + (v6 ? "[" + address.host + "]" : address.host) + ":" +
         std::to_string(address.port);
}

}  // namespace

class Server::Impl {
 public:
  struct Parts {
    std::unique_ptr<TokenFiles> tokens;              // null: none are asked for
    std::unique_ptr<CertificateFiles> certificates;  // null: connections are not encrypted
  };

  Impl(const HttpConfig& http, Routes& routes, ServerLogs logs, Parts parts)
      : routes_(routes),
        logs_(std::move(logs)),
        access_(std::move(parts.tokens), http.open_metrics, routes.table(),
                [this](const std::string& text) { say("warning", text); }),
        certificates_(std::move(parts.certificates)) {}

  ~Impl() {
    stopping_.store(true);
    streams_.stop();
    // Before the fronts stop: they wait for the replies to requests that may be waiting for Kafka.
    routes_.stop();
    for (auto& front : fronts_) front->stop();
    // The threads' last replies still go to the fronts, even if nobody receives them.
    for (AnswerPool* const pool : {&health_, &reading_, &changing_, &waiting_}) pool->finish();
  }

  Status start(const HttpConfig& http, HttpLimits limits) {
    limits.max_connections = static_cast<std::size_t>(http.max_connections);
    limits.max_connections_per_address = static_cast<std::size_t>(http.max_connections_per_address);
    if (Status opened = open(http.listen, false, limits, &address_); !opened) return opened;
    if (!http.health_listen.empty()) {
      if (Status opened = open(http.health_listen, true, limits, &health_address_); !opened)
        return opened;
    }
    routes_.start(http.advertise.empty() ? url() : http.advertise);
    // Requests may be answered only once all fronts exist.
    for (auto& front : fronts_) front->start();
    return {};
  }

  [[nodiscard]] const ListenAddress& address() const { return address_; }
  [[nodiscard]] const ListenAddress& health_address() const { return health_address_; }
  [[nodiscard]] std::string url() const { return url_of(address_, certificates_ != nullptr); }

 private:
  Status open(const std::string& listen, bool health_only, const HttpLimits& limits,
              ListenAddress* at) {
    auto address = parse_listen_address(listen);
    if (!address) return tl::unexpected(address.error());
    *at = *std::move(address);
    auto listening = listen_on(at->host, at->port);
    if (!listening) {
      return failure("cannot listen on " + listen + ": " + listening.error().message +
                     "; is another worker using it? Choose another address (port 0: any free "
                     "port)");
    }
    at->port = listening->port;
    const std::size_t number = fronts_.size();
    HttpFront::Hooks hooks;
    hooks.on_request = [this, number](HttpFront::ConnectionId connection, HttpRequest request) {
      hand_on({number, connection}, std::move(request));
    };
    hooks.on_stream_gone = [this](HttpFront::ConnectionId connection) {
      streams_.remove(connection);
    };
    // Health checks are asked by machines on the same network, which know no certificates.
    if (certificates_ && !health_only)
      hooks.certificate = [this] { return certificates_->current(); };
    fronts_.push_back(std::make_unique<HttpFront>(std::move(listening->fd), rules(health_only),
                                                  limits, std::move(hooks)));
    return {};
  }

  [[nodiscard]] HttpRules rules(bool health_only) {
    return {.max_body_bytes = kMaxBodyBytes,
            .max_requests = kMaxRequestsPerConnection,
            .refusal = [this, health_only](const HttpHead& head) -> std::optional<HttpReply> {
              auto refused = refusal(head, health_only);
              return refused ? std::optional(http_reply(*std::move(refused))) : std::nullopt;
            },
            .fault_reply = fault_reply};
  }

  [[nodiscard]] std::optional<ApiReply> refusal(const HttpHead& head, bool health_only) {
    if (head.path.size() > kMaxPathBytes) {
      return problem_reply(
          {.status = 414,
           .detail = "the path is longer than " + std::to_string(kMaxPathBytes) + " bytes"});
    }
    if (health_only && !is_health(head.path)) {
      return problem_reply(
          {.status = 404, .detail = "this address answers /healthz and /readyz only"});
    }
    const auto caller = access_.admit(head, true);
    if (!caller) return not_allowed(head, caller.error());
    if (head.fields.contains("content-encoding"))
      return problem_reply({.status = 415, .detail = "send the body without a Content-Encoding"});
    // Without further options, curl -d sends JSON as a form.
    if (head.body != HttpBody::kNone && is_media_type(head.field("content-type"), kForm)) {
      return problem_reply(
          {.status = 415,
           .detail = "found a form, expected JSON: send Content-Type: application/json"});
    }
    return std::nullopt;
  }

  [[nodiscard]] ApiReply not_allowed(const HttpHead& head, const NotAdmitted& refusal) {
    const Problem& problem = refusal.problem;
    // Of unknown tokens, the log has lines at a bounded rate; these callers are known.
    if (problem.status == 403 && logs_.audit) {
      ApiRequest request;
      request.method = head.method;
      request.path = head.path;
      request.parameters = head.parameters;
      request.caller = {.name = refusal.who, .address = head.peer};
      logs_.audit(audit_line("denied", request, problem.status, request_time()));
    }
    ApiReply reply = problem_reply(problem);
    if (problem.status != 401 || head.path != "/" || head.method != "GET") return reply;
    // A person with a browser: the page asks for the token.
    ApiRequest request;
    request.path = head.path;
    request.accept_encoding = head.field("accept-encoding");
    ApiReply page = page_reply(request, 401);
    page.headers.merge(reply.headers);
    return page;
  }

  struct Connection {
    std::size_t front = 0;
    HttpFront::ConnectionId id = 0;
  };

  AnswerPool& pool_for(const HttpHead& head) {
    if (is_health(head.path)) return health_;
    // They hold their threads for as long as they wait.
    if (head.parameters.contains("wait")) return waiting_;
    return head.method == "GET" || head.method == "HEAD" ? reading_ : changing_;
  }

  void hand_on(Connection to, HttpRequest request) {
    AnswerPool& pool = pool_for(request.head);
    const bool added = pool.add(
        [this, to, request = std::move(request)]() mutable { reply(to, std::move(request)); });
    if (!added) {
      fronts_[to.front]->reply(to.id,
                               fault_reply({503, "too many requests are waiting: try again"}));
    }
  }

  void reply(Connection to, HttpRequest from) {
    const bool is_head = from.head.method == "HEAD";
    const auto caller = access_.admit(from.head, false);
    // The tokens may have changed since the head came.
    ApiReply answered = caller ? answer(request_of(std::move(from), *caller))
                               : not_allowed(from.head, caller.error());
    // A HEAD asks for no body, so no stream follows.
    answered.stream = answered.stream && !is_head;
    if (answered.stream && !streams_.add(to.id, *caller)) {
      answered = problem_reply({.status = 503, .detail = "too many streams of events: try again"});
    }
    fronts_[to.front]->reply(to.id, http_reply(std::move(answered)));
  }

  [[nodiscard]] ApiReply answer(ApiRequest request) {
    if (stopping_.load()) return problem_reply(server_stops());
    const RouteTable::Match match = routes_.table().match(request.method, request.path);
    const bool changes = match.route && (match.route->spec.scope == Scope::kProduce ||
                                         match.route->spec.scope == Scope::kOperate);
    if (!changes || !logs_.audit) return answer_safely(std::move(request));
    ApiRequest seen = without_jobs(request, match.route->spec.scope);
    ApiReply reply = answer_safely(std::move(request));
    logs_.audit(audit_line(match.route->spec.id, seen, reply.status, request_time()));
    return reply;
  }

  [[nodiscard]] ApiReply answer_safely(ApiRequest request) {
    const std::string what = request.method + " " + request.path;
    try {
      return routes_.answer(std::move(request));
    } catch (const std::exception& error) {  // such as a lack of memory: only this request fails
      say("error", "could not answer " + what + ": " + error.what());
      return problem_reply(
          {.status = 500, .detail = "the worker failed to answer; its log says why"});
    }
  }

  void say(std::string_view level, const std::string& text) const {
    if (logs_.log) logs_.log(level, "HTTP: " + text);
  }

  ListenAddress address_, health_address_{};
  Routes& routes_;
  const ServerLogs logs_;
  Access access_;
  std::unique_ptr<CertificateFiles> certificates_;
  std::atomic<bool> stopping_{false};
  std::vector<std::unique_ptr<HttpFront>> fronts_;  // outlive the threads that reply to them
  EventStreams streams_{
      [this](const Caller& caller) { return routes_.event(caller); },
      [this](EventStreams::Id id, const std::string& text) { fronts_.front()->push(id, text); }};
  AnswerPool health_{kHealthThreads}, reading_{kReadThreads}, changing_{kChangeThreads},
      waiting_{kWaitingThreads};
};

Server::Server(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Server::~Server() = default;

Result<std::unique_ptr<Server>> Server::start(const HttpConfig& http, Routes& routes,
                                              HttpLimits limits, ServerLogs logs) {
  if (Status status = check_http(http); !status) return tl::unexpected(status.error());
  const auto say = [log = logs.log](const std::string& text) {
    if (log) log("warning", "HTTP: " + text);
  };
  Impl::Parts parts;
  if (http.asks_for_tokens()) {
    auto tokens = TokenFiles::open(http, say);
    if (!tokens) return tl::unexpected(tokens.error());
    parts.tokens = *std::move(tokens);
  }
  if (!http.certificate.empty()) {
    auto certificates = CertificateFiles::open(http.certificate, http.key, say);
    if (!certificates) return tl::unexpected(certificates.error());
    parts.certificates = *std::move(certificates);
  }
  auto impl = std::make_unique<Impl>(http, routes, std::move(logs), std::move(parts));
  if (Status started = impl->start(http, limits); !started) return tl::unexpected(started.error());
  return std::unique_ptr<Server>(new Server(std::move(impl)));
}

int Server::port() const { return impl_->address().port; }
int Server::health_port() const { return impl_->health_address().port; }
std::string Server::url() const { return impl_->url(); }

}  // namespace penstock
