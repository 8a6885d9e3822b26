#include "api/job_json.h"

#include "topics/rfc3339.h"

namespace penstock {
namespace {

using Json = nlohmann::ordered_json;

Json time_or_null(Time time) { return time == Time{} ? Json() : Json(format_rfc3339(time)); }
Json text_or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

}  // namespace

Json job_json(const ShownJob& job) {
  return {{"id", job.id},
          {"queue", job.queue},
          {"type", job.type},
          {"account", job.account},
          {"state", to_string(job.state)},
          {"attempt", job.attempt},
          {"max_attempts", job.max_attempts > 0 ? Json(job.max_attempts) : Json()},
          {"run_at", time_or_null(job.run_at)},
          {"created", time_or_null(job.created)},
          {"started", time_or_null(job.started)},
          {"reason", text_or_null(job.reason)},
          {"why", text_or_null(job.why)}};
}

std::optional<JobState> job_state_of(std::string_view word) {
  for (auto state = JobState::kScheduled;; state = static_cast<JobState>(static_cast<int>(state) + 1)) {
    if (to_string(state) == word) return state;
    if (state == JobState::kExpired) return std::nullopt;
  }
}

}  // namespace penstock
