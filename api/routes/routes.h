// The endpoints of the HTTP interface: a RouteTable, and what answers each of its routes.
// Thread-safe.
#pragma once

#include <string>

#include "api/gateway/gateway.h"
#include "api/gateway/job_actions.h"
#include "api/gateway/sending.h"
#include "api/live/history.h"
#include "api/request/message.h"
#include "api/route/route_table.h"
#include "api/routes/dead_records.h"
#include "api/routes/operations.h"
#include "api/routes/queue_queries.h"
#include "api/routes/replays.h"
#include "api/routes/workers.h"
#include "api/source/source.h"

namespace penstock {

class Routes {
 public:
  Routes(Source& source, JobSink& sink, Operations operations, DeadAccess dead,
         ReplayRoutes::MakeDesk replays, WorkerIdentity worker);

  [[nodiscard]] ApiReply answer(ApiRequest request) const {
    return table_.answer(std::move(request));
  }
  [[nodiscard]] const RouteTable& table() const { return table_; }
  // What a stream of events says now, to this caller.
  [[nodiscard]] std::string event(const Caller& caller);
  // Begins to keep the history; before, it is empty. `url`: where the worker can be reached.
  void start(std::string url) {
    worker_.url = std::move(url);
    history_.start();
  }
  // Ends all waiting for Kafka.
  void stop() {
    sending_.stop();
    dead_.stop();
    replays_.stop();
  }

 private:
  void add_health();
  void add_openapi();
  void add_queries();
  void add_jobs();
  void add_operations();
  [[nodiscard]] ApiReply alive();
  [[nodiscard]] ApiReply ready();
  [[nodiscard]] ApiReply metrics();

  Source& source_;
  WorkerIdentity worker_;
  Sending sending_;
  History history_;
  QueueQueries queries_;
  Gateway gateway_;
  JobActions actions_;
  Operations operations_;
  DeadRecords dead_;
  ReplayRoutes replays_;
  Workers workers_;
  RouteTable table_;
};

}  // namespace penstock
