// Dispatches requests to endpoints by path and method. Thread-safe.
//
//   GET  /healthz  /readyz  /metrics
//   GET  /v1/queues   /v1/queues/{q}   /v1/queues/{q}/accounts   /v1/queues/{q}/bulks
//   GET  /v1/queues/{q}/jobs           POST the same
//   GET  /v1/queues/{q}/jobs/{id}      also DELETE; the id is the rest of the path, with any "/"
//   POST /v1/queues/{q}/jobs/{id}/cancel|retry
//   GET  /v1/queues/{q}/dead           POST /v1/queues/{q}/dead/resend
//   POST /v1/queues/{q}/pause|resume
//   GET  /v1/queues/{q}/replays        POST the same; and what follows (api/routes/replays.h)
//   GET  /v1/pauses   /v1/limits
//   PUT  /v1/limits/{name}             also DELETE; the name is the rest of the path
#pragma once

#include <string>
#include <string_view>

#include "api/request/message.h"
#include "api/routes/dead_records.h"
#include "api/routes/gateway.h"
#include "api/routes/operations.h"
#include "api/routes/queue_queries.h"
#include "api/routes/replays.h"
#include "api/source/source.h"

namespace penstock {

class Routes {
 public:
  Routes(Source& source, JobSink& sink, Operations operations, DeadAccess dead,
         ReplayRoutes::MakeDesk replays, std::string version)
      : source_(source),
        queries_(source),
        gateway_(source, sink),
        operations_(std::move(operations)),
        dead_(source, std::move(dead)),
        replays_(std::move(replays)),
        version_(std::move(version)) {}

  [[nodiscard]] ApiReply answer(const ApiRequest& request);
  // Ends all waiting for Kafka.
  void stop() {
    gateway_.stop();
    dead_.stop();
    replays_.stop();
  }

 private:
  [[nodiscard]] ApiReply ready();
  [[nodiscard]] ApiReply metrics();
  [[nodiscard]] ApiReply answer_queue(const ApiRequest& request, std::string_view rest);
  [[nodiscard]] ApiReply answer_limits(const ApiRequest& request, std::string_view rest);
  [[nodiscard]] ApiReply answer_job(const ApiRequest& request, const std::string& queue,
                                    std::string_view rest);

  Source& source_;
  QueueQueries queries_;
  Gateway gateway_;
  Operations operations_;
  DeadRecords dead_;
  ReplayRoutes replays_;
  std::string version_;
};

}  // namespace penstock
