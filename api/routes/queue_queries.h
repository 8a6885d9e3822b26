// The GET endpoints below /v1/queues. Thread-safe.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "api/gateway/job_wait.h"
#include "api/live/history.h"
#include "api/request/message.h"
#include "api/source/source.h"

namespace penstock {

class QueueQueries {
 public:
  QueueQueries(Source& source, const History& history) : source_(source), history_(history) {}

  [[nodiscard]] ApiReply queues(const ApiRequest& request);
  [[nodiscard]] ApiReply queue(const ApiRequest& request);
  [[nodiscard]] ApiReply history(const ApiRequest& request);
  [[nodiscard]] ApiReply jobs(const ApiRequest& request);
  // With `wait=ended`, the answer comes when the job has ended, or the time is over.
  [[nodiscard]] ApiReply job(const ApiRequest& request, const std::function<bool()>& stopped);
  [[nodiscard]] ApiReply bulks(const ApiRequest& request);
  [[nodiscard]] ApiReply accounts(const ApiRequest& request);
  [[nodiscard]] ApiReply breakers(const ApiRequest& request);

  // The figures of every queue that the caller sees, as `queues` shows them.
  [[nodiscard]] nlohmann::ordered_json all_queues(const Caller& caller);

 private:
  [[nodiscard]] nlohmann::ordered_json queue_json(const QueueStatus& status);
  [[nodiscard]] ApiReply await_end(const ApiRequest& request, const AskedWait& asked,
                                   const ShownJob& job, const std::function<bool()>& stopped);
  [[nodiscard]] ApiReply oldest_accounts(const std::string& queue, int limit);

  Source& source_;
  const History& history_;
};

}  // namespace penstock
