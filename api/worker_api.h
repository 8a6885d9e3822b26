// The HTTP interface of one worker process: server, loops and producer bound together. Started
// before the brokers answer: /healthz says yes then, and /readyz why not.
//
//   Runtime runtime(...);
//   auto api = WorkerApi::start(runtime, kafka_producer(config));   // after runtime.open()
//
// Destroy it before the runtime.
#pragma once

#include <memory>
#include <string>

#include "api/routes/job_sink.h"
#include "api/routes/routes.h"
#include "api/routes/server.h"
#include "api/source/loop_source.h"
#include "consumer/worker/runtime.h"
#include "topics/values/result.h"

namespace penstock {

// The producer on the Kafka of the config.
[[nodiscard]] ProducerSink::Make kafka_producer(const Config& config);

class WorkerApi {
 public:
  // Listens where the runtime's config says.
  [[nodiscard]] static Result<std::unique_ptr<WorkerApi>> start(Runtime& runtime,
                                                                ProducerSink::Make producer);

  [[nodiscard]] std::string url() const { return server_->url(); }
  [[nodiscard]] int port() const { return server_->port(); }

 private:
  WorkerApi(Runtime& runtime, ProducerSink::Make producer);

  ProducerSink sink_;
  LoopSource source_;
  Routes routes_;
  std::unique_ptr<Server> server_;  // last: it uses the rest
};

}  // namespace penstock
