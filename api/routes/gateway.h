// POST /v1/queues/{q}/jobs and .../jobs/{id}/cancel|retry, DELETE .../jobs/{id}: sends records to
// the queue's topic and replies once Kafka has acknowledged them. Jobs are checked by the same
// rules that admit them.
//
// - One object or an array: if any job is bad, none is sent.
// - Lines of JSON: each is accepted or refused on its own and has a line in the reply, in order.
//
// Thread-safe. stop() ends every wait with a reply that the outcome is unknown.
#pragma once

#include <atomic>
#include <chrono>
#include <string>

#include "api/request/message.h"
#include "api/routes/job_sink.h"
#include "api/source/source.h"

namespace penstock {

inline constexpr std::size_t kMaxJobsPerRequest = 100'000;
inline constexpr std::size_t kMaxErrorsShown = 100;  // per refusal
inline constexpr std::chrono::milliseconds kWaitForSpace{10'000};

class Gateway {
 public:
  Gateway(Source& source, JobSink& sink) : source_(source), sink_(sink) {}

  [[nodiscard]] ApiReply enqueue(const ApiRequest& request, const std::string& queue);
  // `op` is "cancel", "retry" or "delete".
  [[nodiscard]] ApiReply command(const ApiRequest& request, const std::string& queue,
                                 const std::string& id, const std::string& op);
  void stop() { stopping_.store(true); }

 private:
  [[nodiscard]] ApiReply enqueue_whole(std::string_view body, const std::string& queue);
  [[nodiscard]] ApiReply enqueue_lines(std::string_view body, const std::string& queue);
  void send(const std::string& queue, std::string_view account, std::string_view value,
            DeliveryCallback done);
  [[nodiscard]] bool has_space(std::size_t bytes);

  Source& source_;
  JobSink& sink_;
  std::atomic<bool> stopping_{false};
};

}  // namespace penstock
