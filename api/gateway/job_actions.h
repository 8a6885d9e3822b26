// POST /v1/queues/{q}/jobs/actions: sends a command to every job that the filters select.
//
//   {"op": "cancel" | "retry" | "reschedule" | "delete",
//    filters (api/request/job_filter.h), "run_at" or "in" of a reschedule,
//    "dry_run": bool, "limit": n, "after": position, "all": bool}
//
// One request acts on a bounded number of jobs, for a bounded time, page by page, each page once
// Kafka has acknowledged the one before; its reply says where to continue. Without a state, a retry
// selects dead jobs, and a cancel live ones. Without any filter, `all` must be true.
//
// Thread-safe.
#pragma once

#include <chrono>
#include <string>

#include "api/gateway/job_command.h"
#include "api/gateway/sending.h"
#include "api/request/message.h"
#include "api/request/problem.h"
#include "api/source/source.h"

namespace penstock {

class JobActions {
 public:
  static constexpr int kDefaultLimit = 1000, kMaxLimit = 10'000, kMaxCounted = 1'000'000;
  static constexpr std::chrono::seconds kMaxTime{10};
  static constexpr std::size_t kMaxSample = 20;

  JobActions(Source& source, Sending& sending) : source_(source), sending_(sending) {}

  [[nodiscard]] ApiReply act(const ApiRequest& request);

 private:
  struct Action;
  struct Progress;

  [[nodiscard]] std::optional<Problem> send(const Action& action, const std::vector<ShownJob>& jobs,
                                            Progress& progress);

  Source& source_;
  Sending& sending_;
};

}  // namespace penstock
