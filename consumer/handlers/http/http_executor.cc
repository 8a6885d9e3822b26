#include "consumer/handlers/http/http_executor.h"

#include "consumer/handlers/http/webhook_signature.h"

namespace penstock {

HttpExecutor::HttpExecutor(HttpClient& client, HttpEndpoint endpoint)
    : client_(client), endpoint_(client.add_endpoint(std::move(endpoint))) {}

Result<std::unique_ptr<HttpExecutor>> HttpExecutor::open(HttpClient& client,
                                                         const HttpHandler& handler) {
  HttpEndpoint endpoint{handler.url, {}};
  if (!handler.secret_file.empty()) {
    auto keys = load_secrets(handler.secret_file);
    if (!keys) return tl::unexpected(keys.error());
    endpoint.keys = *std::move(keys);
  }
  return std::make_unique<HttpExecutor>(client, std::move(endpoint));
}

void HttpExecutor::start(AttemptRequest request, Mailbox& mailbox) {
  client_.push(StartCommand{std::move(request), &mailbox, endpoint_});
}

void HttpExecutor::request_stop(const AttemptKey& key) { client_.push(StopCommand{key}); }

void HttpExecutor::kill(const AttemptKey& key) { client_.push(KillCommand{key}); }

}  // namespace penstock
