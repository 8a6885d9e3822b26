// The HTTP interface of one worker process: server, loops and producer connected. Start it before
// the brokers answer; until then /healthz succeeds and /readyz says why the worker is not ready.
//
//   Runtime runtime(...);
//   auto api = WorkerApi::start(runtime, kafka_producer(config));  // after runtime.open()
//
// Made and destroyed by one thread; destroy it before the runtime.
#pragma once

#include <memory>
#include <string>

#include "api/gateway/job_sink.h"
#include "api/routes/routes.h"
#include "api/server/server.h"
#include "api/source/loop_source.h"
#include "consumer/worker/runtime.h"
#include "topics/values/result.h"

namespace penstock {

// Makes a producer for the config's Kafka.
[[nodiscard]] ProducerSink::Make kafka_producer(const Config& config);

class WorkerApi {
 public:
  // Listens at the address in the runtime's config.
  [[nodiscard]] static Result<std::unique_ptr<WorkerApi>> start(Runtime& runtime,
                                                                ProducerSink::Make producer,
                                                                ServerLogs logs = {});

  [[nodiscard]] std::string url() const { return server_->url(); }
  [[nodiscard]] int port() const { return server_->port(); }

 private:
  WorkerApi(Runtime& runtime, ProducerSink::Make producer);

  ProducerSink sink_;
  LoopSource source_;
  Routes routes_;
  std::unique_ptr<Server> server_;  // last: it uses the other members
};

}  // namespace penstock
