#include "consumer/handlers/protocol/job_request_json.h"

#include <stdexcept>

#include "consumer/handlers/protocol/raw_json.h"
#include "topics/record/dead_letter.h"
#include "topics/record/record_headers.h"

namespace penstock {
namespace {

using Point = std::chrono::system_clock::time_point;

// Rounded so that no job starts earlier or lives longer than requested.
std::int64_t run_at_ms(Point at) { return to_ms(std::chrono::ceil<Duration>(at)); }
std::int64_t expires_at_ms(Point at) { return to_ms(std::chrono::floor<Duration>(at)); }

// By the rules that the producer applies to a job's headers.
std::vector<Header> checked_headers(const JobRequest& job) {
  std::vector<Header> headers;
  std::vector<HeaderView> views;
  for (const auto& [name, value] : job.headers) {
    if (name.empty()) throw std::invalid_argument("a header has no name; give it one");
    if (is_reserved_header(name)) {
      throw std::invalid_argument("header '" + name +
                                  "': names that begin with penstock- are reserved; rename it");
    }
    headers.push_back({name, value});
    views.push_back({name, value});
  }
  if (const auto bad = check_headers(views)) throw std::invalid_argument(bad->detail);
  return headers;
}

}  // namespace

FollowUp to_follow_up(const JobRequest& job) {
  nlohmann::json record{{"type", job.type}};
  if (job.raw_args.empty()) record["args"] = job.args;
  if (!job.id.empty()) record["id"] = job.id;
  if (job.run_at) record["run_at"] = run_at_ms(*job.run_at);
  if (job.expires_at) record["expires_at"] = expires_at_ms(*job.expires_at);
  if (job.priority != 0) record["priority"] = job.priority;
  if (job.weight != 1) record["weight"] = job.weight;
  if (job.unique_key) record["unique_key"] = *job.unique_key;
  if (!job.meta.is_null()) record["meta"] = job.meta;
  std::string text = record.dump();
  // Inserted as text, so that the arguments are passed on exactly as given.
  if (!job.raw_args.empty()) {
    check_json(job.raw_args);
    text.pop_back();
    text.append(",\"args\":").append(job.raw_args).append("}");
  }
  return {job.queue, job.account, std::move(text), checked_headers(job)};
}

}  // namespace penstock
