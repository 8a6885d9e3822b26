// POST /v1/queues/{q}/jobs and .../jobs/{id}/cancel|retry|reschedule, DELETE .../jobs/{id}: sends
// records to the queue's topic and replies once Kafka has acknowledged them. Jobs are checked by
// the same rules that admit them.
//
// - One object or an array: if any job is bad, none is sent.
// - Lines of JSON: each is accepted or refused on its own and has a line in the reply, in order.
//
// Thread-safe. When the sending stops, every wait ends with a reply that the outcome is unknown.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "api/gateway/job_wait.h"
#include "api/gateway/sending.h"
#include "api/request/message.h"
#include "api/source/source.h"

namespace penstock {

inline constexpr std::size_t kMaxJobsPerRequest = 100'000;
inline constexpr std::size_t kMaxErrorsShown = 100;  // per refusal
inline constexpr std::size_t kMaxIdempotencyKeyBytes = 100;

class Gateway {
 public:
  Gateway(Source& source, Sending& sending) : source_(source), sending_(sending) {}

  [[nodiscard]] ApiReply enqueue(const ApiRequest& request);
  // `op` is "cancel", "retry", "reschedule" or "delete".
  [[nodiscard]] ApiReply command(const ApiRequest& request, const std::string& op);

 private:
  [[nodiscard]] ApiReply enqueue_whole(const ApiRequest& request, const std::string& queue);
  [[nodiscard]] ApiReply enqueue_lines(const ApiRequest& request, const std::string& queue);
  [[nodiscard]] tl::expected<std::optional<JobWait>, Problem> begin_wait(
      const AskedWait& asked, const std::string& queue, const std::vector<JobIdentity>& jobs);
  Source& source_;
  Sending& sending_;
};

}  // namespace penstock
