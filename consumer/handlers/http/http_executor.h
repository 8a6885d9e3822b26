// Runs attempts by HTTP requests to one address. Several executors share a client, which must
// outlive them. May be called from any thread.
#pragma once

#include <memory>

#include "consumer/handlers/http/http_client.h"
#include "consumer/job/handler.h"
#include "consumer/policy/policy.h"
#include "topics/values/result.h"

namespace penstock {

class HttpExecutor : public Executor {
 public:
  HttpExecutor(HttpClient& client, HttpEndpoint endpoint);
  // Reads the secret file, if there is one.
  [[nodiscard]] static Result<std::unique_ptr<HttpExecutor>> open(HttpClient& client,
                                                                  const HttpHandler& handler);

  void start(AttemptRequest request, Mailbox& mailbox) override;
  void request_stop(const AttemptKey& key) override;
  void kill(const AttemptKey& key) override;

 private:
  HttpClient& client_;
  const std::uint32_t endpoint_;
};

}  // namespace penstock
