#include "api/source/job_json.h"

#include <algorithm>

#include "topics/values/rfc3339.h"

namespace penstock {
namespace {

using Json = nlohmann::ordered_json;

Json time_or_null(Time time) { return time == Time{} ? Json() : Json(format_rfc3339(time)); }
Json text_or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

}  // namespace

Json job_json(const ShownJob& job) {
  Json json{{"id", job.id},
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
  if (job.progress >= 0) json["progress"] = {{"n", job.progress}, {"total", job.progress_total}};
  if (job.snoozes > 0) json["snoozes"] = job.snoozes;
  return json;
}

Json bulk_json(const ShownBulk& bulk, const std::string& queue) {
  const BulkRow& counts = bulk.counts;
  return {{"id", bulk.id},
          {"queue", queue},
          {"account", bulk.account},
          {"size", counts.size},
          {"admitted", counts.admitted},
          {"waiting", counts.live() - std::min(counts.live(), bulk.running)},
          {"running", bulk.running},
          {"succeeded", counts.succeeded},
          {"dead", counts.dead},
          {"cancelled", counts.cancelled},
          {"expired", counts.expired},
          {"first", time_or_null(counts.first_at)},
          {"last", time_or_null(std::max(counts.last_at, counts.last_end))},
          {"done", time_or_null(counts.done_at)},
          {"estimated_end", time_or_null(bulk.estimated_end)}};
}

std::optional<JobState> job_state_of(std::string_view word) {
  for (auto state = JobState::kScheduled;;
       state = static_cast<JobState>(static_cast<int>(state) + 1)) {
    if (to_string(state) == word) return state;
    if (state == JobState::kExpired) return std::nullopt;
  }
}

}  // namespace penstock
