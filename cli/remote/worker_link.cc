#include "cli/remote/worker_link.h"

#include <httplib.h>

#include <cctype>
#include <utility>

#include "cli/remote/json_text.h"
#include "topics/values/printable.h"

#ifndef CPPHTTPLIB_OPENSSL_SUPPORT
#error "cpp-httplib must be built with OpenSSL, for workers at https:// addresses"
#endif

namespace penstock {

struct WorkerLink::Connection {
  explicit Connection(const std::string& url) : client(url) {}
  httplib::Client client;
};

namespace {

std::string advice_on(httplib::Error error, bool own_ca) {
  switch (error) {
    case httplib::Error::SSLLoadingCerts:
      return "the file of --ca cannot be read, or holds no certificates in PEM format";
    case httplib::Error::SSLServerVerification:
      return std::string("its certificate does not go back to one of ") +
             (own_ca ? "those in the file of --ca" : "the system's, which --ca FILE replaces") +
             ", has expired, or is for another host name";
    case httplib::Error::SSLConnection:
      return "it does not speak TLS as this program does; is its address rather an http:// one?";
    default:
      return "start `penstock work`, or name a running one with --http HOST:PORT";
  }
}

}  // namespace

void TargetQuery::add(std::string_view name, std::string_view value) {
  if (value.empty()) return;
  text_ += text_.empty() ? '?' : '&';
  text_ += std::string(name) + '=' + percent_encoded(value);
}

std::string percent_encoded(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80 &&
        (std::isalnum(byte) != 0 || std::string_view("-._~").find(c) != std::string_view::npos)) {
      encoded += c;
    } else {
      encoded += {'%', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return encoded;
}

std::string queue_target(std::string_view queue, std::string_view rest) {
  return "/v1/queues/" + percent_encoded(queue) + std::string(rest);
}

WorkerLink::WorkerLink(WorkerAddress address, std::string token, const std::string& ca)
    : address_(std::move(address)),
      token_(std::move(token)),
      own_ca_(!ca.empty()),
      connection_(std::make_unique<Connection>(address_.url())) {
  httplib::Client& client = connection_->client;
  client.set_url_encode(false);  // the target is already encoded
  client.set_keep_alive(true);
  client.enable_server_certificate_verification(true);
  if (own_ca_) client.set_ca_cert_path(ca.c_str());
  set_timeouts(kConnectTimeout, kAnswerTimeout);
}

WorkerLink::~WorkerLink() = default;
WorkerLink::WorkerLink(WorkerLink&&) noexcept = default;
WorkerLink& WorkerLink::operator=(WorkerLink&&) noexcept = default;

void WorkerLink::set_timeouts(std::chrono::milliseconds connect, std::chrono::milliseconds answer) {
  connection_->client.set_connection_timeout(connect);
  connection_->client.set_read_timeout(answer);
  connection_->client.set_write_timeout(answer);
}

FromWorker<WorkerAnswer> WorkerLink::ask(const WorkerQuestion& question) {
  httplib::Request request;
  request.method = question.method;
  request.path = question.target;
  request.headers = {{"Accept", "application/json, application/x-ndjson"}};
  if (!token_.empty()) request.headers.emplace("Authorization", "Bearer " + token_);
  if (question.method != "GET") {
    request.body = question.body;
    request.headers.emplace("Content-Type", question.type);
  }
  WorkerAnswer answer;
  request.content_receiver = [&answer](const char* data, std::size_t size, std::uint64_t,
                                       std::uint64_t) {
    // The server at that address need not be a worker, so the size of its answer is bounded.
    if (answer.text.size() + size > kMaxAnswerBytes) return false;
    answer.text.append(data, size);
    return true;
  };
  const auto result = connection_->client.send(request);
  if (!result) {
    return tl::unexpected(WorkerError{{"no answer from a worker at " + address_.name() + " (" +
                                       httplib::to_string(result.error()) +
                                       "): " + advice_on(result.error(), own_ca_)}});
  }
  answer.status = result->status;
  answer.body = JobJson::parse(answer.text, nullptr, false);
  if (answer.body.is_discarded()) answer.body = nullptr;
  return answer;
}

tl::unexpected<WorkerError> WorkerLink::refused(const WorkerAnswer& answer) const {
  constexpr int kUnauthorized = 401, kForbidden = 403, kNotFound = 404;
  std::string reason = text_member(answer.body, "detail");
  if (reason.empty()) reason = text_member(answer.body, "title");
  if (answer.status == kUnauthorized) {
    reason = token_.empty() ? "it wants a token: set PENSTOCK_TOKEN, or /http/token_file in the "
                              "config file"
                            : "it does not know the token that was sent (of PENSTOCK_TOKEN or "
                              "/http/token_file)";
  } else if (answer.status == kForbidden) {
    reason += (reason.empty() ? "" : "; ") + std::string("the token does not permit this");
  }
  return tl::unexpected(WorkerError{
      {"the worker at " + address_.name() + " answered " + std::to_string(answer.status) +
       (reason.empty() ? std::string() : ": " + printable(reason))},
      answer.status == kNotFound,
      answer.status});
}

tl::unexpected<WorkerError> WorkerLink::not_understood() const {
  return tl::unexpected(
      WorkerError{{"the server at " + address_.name() +
                   " is not a Penstock worker of this version: name one with --http HOST:PORT"}});
}

}  // namespace penstock
