#include "api/source/job_json.h"

#include <algorithm>

#include "topics/values/rfc3339.h"

namespace penstock {
namespace {

using Json = nlohmann::ordered_json;

Json time_or_null(Time time) { return time == Time{} ? Json() : Json(format_rfc3339(time)); }
Json text_or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

// A name of the record's own, such as "args"; null if it has none.
Json member_of(const Json& record, const char* name) {
  const auto found = record.find(name);
  return found == record.end() ? Json() : *found;
}

Json parsed_or_null(const std::string& text) {
  Json json = Json::parse(text, nullptr, false);
  return json.is_discarded() ? Json() : json;
}

void add_detail(Json& json, const JobDetail& detail) {
  // The record was checked when it was admitted; only what replaces its arguments could break it.
  const Json record = parsed_or_null(detail.value);
  json["args"] = record.is_object() && record.contains("args") ? record["args"] : Json::object();
  json["meta"] = record.is_object() ? member_of(record, "meta") : Json();
  json["unique_key"] = record.is_object() ? member_of(record, "unique_key") : Json();
  json["headers"] = Json::object();
  for (const Header& header : detail.headers)
    json["headers"][header.name] = header.value ? Json(*header.value) : Json();
  json["cursor"] = detail.cursor.empty() ? Json() : parsed_or_null(detail.cursor);
  json["bulk"] = text_or_null(detail.bulk);
  json["priority"] = detail.priority;
  json["weight"] = detail.weight;
  json["expires_at"] = time_or_null(detail.expires_at);
  json["ended"] = time_or_null(detail.ended);
  json["replay"] = detail.replay.empty() ? Json() : parsed_or_null(detail.replay);
}

// What can be looked up about what a job waits for.
Json blockers_json(const ShownJob& job) {
  Json blockers = Json::array();
  const Waits kind = job.waits.kind;
  if (kind == Waits::kNothing || kind == Waits::kTime || kind == Waits::kRetry ||
      kind == Waits::kTurn)
    return blockers;
  blockers.push_back({{"kind", to_string(kind)}, {"name", text_or_null(job.waits.name)}});
  return blockers;
}

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
  json["waits_for"] = text_or_null(std::string(to_string(job.waits.kind)));
  json["blocked_by"] = blockers_json(job);
  if (job.detail) add_detail(json, *job.detail);
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
