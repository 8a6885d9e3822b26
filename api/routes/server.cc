#include "api/routes/server.h"

#include <atomic>
#include <exception>
#include <utility>

#include "api/http/answer_pool.h"
#include "api/http/listening_socket.h"
#include "api/request/media_type.h"
#include "api/request/problem.h"
#include "api/routes/access.h"

namespace penstock {
namespace {

constexpr std::string_view kForm = "application/x-www-form-urlencoded";

ApiRequest request_of(HttpRequest from) {
  ApiRequest request{.method = std::move(from.head.method),
                     .path = std::move(from.head.path),
                     .parameters = std::move(from.head.parameters),
                     .content_type = std::string(from.head.field("content-type")),
                     .body = std::move(from.body)};
  return request;
}

HttpReply http_reply(ApiReply reply) {
  return {.status = reply.status,
          .type = std::move(reply.type),
          .body = std::move(reply.body),
          .fields = std::move(reply.headers)};
}

HttpReply fault_reply(const HttpFault& fault) {
  ApiReply reply = reply_of(Problem{.status = fault.status, .detail = fault.detail});
  if (fault.status == 503) reply.headers["Retry-After"] = "1";
  return http_reply(std::move(reply));
}

ApiReply server_stops() {
  return reply_of(Problem{.status = 503,
                          .detail = "the worker is stopping: ask another one, or this one when it "
                                    "runs again"});
}

// Waiting requests must not use up all connections, because a health check needs one too.
static_assert(HttpLimits().max_connections > Server::kHealthThreads + Server::kReadThreads +
                                                 Server::kChangeThreads +
                                                 3 * AnswerPool::kMaxWaiting);

bool is_health(std::string_view path) { return path == "/healthz" || path == "/readyz"; }

}  // namespace

class Server::Impl {
 public:
  Impl(ListenAddress address, Access access, Routes& routes)
      : address_(std::move(address)), access_(std::move(access)), routes_(routes) {}

  ~Impl() {
    if (!front_) return;
    stopping_.store(true);
    // Before the front stops: it waits for the replies to requests that may be waiting for Kafka.
    routes_.stop();
    front_->stop();
    // The threads' last replies still go to the front, even if nobody receives them.
    for (AnswerPool* const pool : {&health_, &reading_, &changing_}) pool->finish();
  }

  Status start(HttpLimits limits) {
    auto listening = listen_on(address_.host, address_.port);
    if (!listening) return tl::unexpected(listening.error());
    address_.port = listening->port;
    front_ = std::make_unique<HttpFront>(
        std::move(listening->fd), rules(), limits,
        [this](HttpFront::ConnectionId connection, HttpRequest request) {
          hand_on(connection, std::move(request));
        });
    front_->start();  // requests may be answered only once front_ exists
    return {};
  }
  [[nodiscard]] const ListenAddress& address() const { return address_; }

 private:
  [[nodiscard]] HttpRules rules() {
    return {.max_body_bytes = kMaxBodyBytes,
            .max_requests = kMaxRequestsPerConnection,
            .refusal = [this](const HttpHead& head) -> std::optional<HttpReply> {
              const auto problem = refusal(head);
              if (!problem) return std::nullopt;
              ApiReply reply = reply_of(*problem);
              // A 401 must name the scheme (RFC 9110, section 15.5.2).
              if (problem->status == 401) reply.headers["WWW-Authenticate"] = "Bearer";
              return http_reply(std::move(reply));
            },
            .fault_reply = fault_reply};
  }

  [[nodiscard]] std::optional<Problem> refusal(const HttpHead& head) const {
    if (head.path.size() > kMaxPathBytes) {
      return Problem{
          .status = 414,
          .detail = "the path is longer than " + std::to_string(kMaxPathBytes) + " bytes"};
    }
    auto problem = access_.refusal({.path = head.path,
                                    .authorization = std::string(head.field("authorization")),
                                    .host = std::string(head.field("host")),
                                    .origin = std::string(head.field("origin"))});
    if (!problem && head.fields.contains("content-encoding")) {
      problem = Problem{.status = 415, .detail = "send the body without a Content-Encoding"};
    }
    // Without further options, curl -d sends JSON as a form.
    if (!problem && head.body != HttpBody::kNone &&
        is_media_type(head.field("content-type"), kForm)) {
      problem =
          Problem{.status = 415,
                  .detail = "found a form, expected JSON: send Content-Type: application/json"};
    }
    return problem;
  }

  AnswerPool& pool_for(const HttpHead& head) {
    if (is_health(head.path)) return health_;
    return head.method == "GET" || head.method == "HEAD" ? reading_ : changing_;
  }

  void hand_on(HttpFront::ConnectionId connection, HttpRequest request) {
    AnswerPool& pool = pool_for(request.head);
    const bool added = pool.add([this, connection, request = std::move(request)]() mutable {
      front_->reply(connection, http_reply(answer(request_of(std::move(request)))));
    });
    if (!added)
      front_->reply(connection, fault_reply({503, "too many requests are waiting: try again"}));
  }

  [[nodiscard]] ApiReply answer(const ApiRequest& request) {
    if (stopping_.load()) return server_stops();
    try {
      return routes_.answer(request);
    } catch (const std::exception& error) {  // such as a lack of memory: only this request fails
      return reply_of(Problem{.status = 500, .detail = error.what()});
    }
  }

  ListenAddress address_;
  Access access_;
  Routes& routes_;
  std::atomic<bool> stopping_{false};
  std::unique_ptr<HttpFront> front_;  // outlives the threads that reply to it
  AnswerPool health_{kHealthThreads}, reading_{kReadThreads}, changing_{kChangeThreads};
};

Server::Server(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Server::~Server() = default;

Result<std::unique_ptr<Server>> Server::start(const HttpConfig& http, Routes& routes,
                                              HttpLimits limits) {
  if (Status status = check_http(http); !status) return tl::unexpected(status.error());
  auto token = read_token_file(http.token_file);
  if (!token) return tl::unexpected(token.error());
  auto address = parse_listen_address(http.listen);
  if (!address) return tl::unexpected(address.error());
  auto impl = std::make_unique<Impl>(*std::move(address),
                                     Access(*std::move(token), http.open_metrics), routes);
  if (const Status started = impl->start(limits); !started) {
    return failure("cannot listen on " + http.listen + ": " + started.error().message +
                   "; is another worker using it? Choose another address (port 0: any free port)");
  }
  return std::unique_ptr<Server>(new Server(std::move(impl)));
}

int Server::port() const { return impl_->address().port; }

std::string Server::url() const {
  const ListenAddress& address = impl_->address();
  const bool v6 = address.host.find(':') != address.host.npos;
  return "http://" + (v6 ? "[" + address.host + "]" : address.host) + ":" +
         std::to_string(address.port);
}

}  // namespace penstock
