#include "api/server.h"

#include <httplib.h>

#include <thread>

#include "api/access.h"
#include "api/connections.h"

namespace penstock {
namespace {

constexpr const char* kForm = "application/x-www-form-urlencoded";

class TaskQueue final : public httplib::TaskQueue {
 public:
  void enqueue(std::function<void()> connection) override {
    connections_.add(std::move(connection));
  }
  void shutdown() override { connections_.finish(); }

 private:
  Connections connections_{Server::kThreads, Server::kMaxWaitingConnections};
};

ApiRequest request_of(const httplib::Request& from) {
  ApiRequest request{.method = from.method,
                     .path = from.path,
                     .parameters = {},
                     .content_type = from.get_header_value("Content-Type"),
                     .body = {}};
  request.parameters.insert(from.params.begin(), from.params.end());
  return request;
}

void fill(httplib::Response& response, const ApiReply& reply) {
  response.status = reply.status;
  for (const auto& [name, value] : reply.headers) response.set_header(name, value);
  response.set_header("Cache-Control", "no-store");
  response.set_header("X-Content-Type-Options", "nosniff");
  response.set_content(reply.body, reply.type);
}

// One that says no length and is not chunked has none (RFC 9112 §6.3); the library would refuse it.
bool has_body(const httplib::Request& request) {
  return request.has_header("Transfer-Encoding") ||
         (request.has_header("Content-Length") &&
          request.get_header_value("Content-Length") != "0");
}

// What the library refused by itself.
Problem own_problem(int status) {
  switch (status) {
    case 413:
      return {.status = status,
              .detail = "the body is larger than " + std::to_string(Server::kMaxBodyBytes) +
                        " bytes: send the jobs in several requests"};
    case 414:
      return {.status = status, .detail = "the request line is too long"};
    case 404:
      return {.status = status, .detail = "there is nothing here"};
    default:
      return {.status = status, .detail = "the request could not be read"};
  }
}

// A second worker must not share the port silently, as the library's own options would have it.
void reuse_address_only(socket_t socket) {
  const int on = 1;
  ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
}

}  // namespace

class Server::Impl {
 public:
  Impl(ListenAddress address, Access access, Routes& routes)
      : address_(std::move(address)), access_(std::move(access)), routes_(routes) {
    set_limits();
    set_handlers();
  }
  ~Impl() {
    if (!thread_.joinable()) return;
    routes_.stop();
    server_.stop();
    thread_.join();
  }

  [[nodiscard]] bool start() {
    const bool any = address_.port == 0;
    const int port =
        any ? server_.bind_to_any_port(address_.host)
            : (server_.bind_to_port(address_.host, address_.port) ? address_.port : -1);
    if (port < 0) return false;
    address_.port = port;
    thread_ = std::jthread([this] { server_.listen_after_bind(); });
    while (!server_.is_running()) std::this_thread::yield();  // a stop before that would be lost
    return true;
  }
  [[nodiscard]] const ListenAddress& address() const { return address_; }

 private:
  using Handled = httplib::Server::HandlerResponse;

  void set_limits() {
    server_.new_task_queue = [] { return new TaskQueue(); };  // the library deletes it
    server_.set_payload_max_length(kMaxBodyBytes);
    server_.set_keep_alive_max_count(kMaxRequestsAConnection);
    server_.set_keep_alive_timeout(kIdleConnection.count());
    server_.set_read_timeout(kReadTimeout);
    server_.set_write_timeout(kReadTimeout);
    server_.set_tcp_nodelay(true);
    server_.set_socket_options(reuse_address_only);
  }

  // Everything is answered before the body is read, but a POST or PUT that may pass.
  void set_handlers() {
    server_.set_pre_routing_handler(
        [this](const httplib::Request& request, httplib::Response& response) {
          return before_body(request, response);
        });
    const auto with_body = [this](const httplib::Request& from, httplib::Response& response) {
      ApiRequest request = request_of(from);
      request.body = from.body;
      fill(response, routes_.answer(request));
    };
    server_.Post(R"([\s\S]*)", with_body);
    server_.Put(R"([\s\S]*)", with_body);
    server_.set_error_handler([](const httplib::Request&, httplib::Response& response) {
      if (response.body.empty()) fill(response, reply_of(own_problem(response.status)));
    });
  }

  Handled before_body(const httplib::Request& request, httplib::Response& response) {
    if (const auto problem = refusal(request)) {
      ApiReply reply = reply_of(*problem);
      if (problem->status == 401) reply.headers["WWW-Authenticate"] = "Bearer";
      reply.headers["Connection"] = "close";  // there may be a body that nobody reads
      fill(response, reply);
      return Handled::Handled;
    }
    if ((request.method == "POST" || request.method == "PUT") && has_body(request))
      return Handled::Unhandled;
    fill(response, routes_.answer(request_of(request)));
    if (request.method != "GET" && request.method != "HEAD")
      response.set_header("Connection", "close");
    return Handled::Handled;
  }

  [[nodiscard]] std::optional<Problem> refusal(const httplib::Request& request) const {
    if (request.path.size() > kMaxPathBytes) return own_problem(414);
    auto problem = access_.refusal({.path = request.path,
                                    .authorization = request.get_header_value("Authorization"),
                                    .host = request.get_header_value("Host"),
                                    .origin = request.get_header_value("Origin")});
    // The library would unpack a body to any size.
    if (!problem && request.has_header("Content-Encoding")) {
      problem = Problem{.status = 415, .detail = "send the body without a Content-Encoding"};
    }
    // The library would take its fields for query parameters.
    if (!problem && has_body(request) &&
        request.get_header_value("Content-Type").starts_with(kForm)) {
      problem =
          Problem{.status = 415,
                  .detail = "found a form, expected JSON: send Content-Type: application/json"};
    }
    return problem;
  }

  ListenAddress address_;
  Access access_;
  Routes& routes_;
  httplib::Server server_;
  std::jthread thread_;
};

Server::Server(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Server::~Server() = default;

Result<std::unique_ptr<Server>> Server::start(const HttpConfig& http, Routes& routes) {
  if (Status status = check_http(http); !status) return tl::unexpected(status.error());
  auto token = read_token_file(http.token_file);
  if (!token) return tl::unexpected(token.error());
  auto address = parse_listen_address(http.listen);
  if (!address) return tl::unexpected(address.error());
  auto impl = std::make_unique<Impl>(*std::move(address),
                                     Access(*std::move(token), http.open_metrics), routes);
  if (!impl->start()) {
    return failure("cannot listen on " + http.listen +
                   ": is another worker there? Name another address (port 0: any free one)");
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
