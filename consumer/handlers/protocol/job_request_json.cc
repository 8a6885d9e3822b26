#include "consumer/handlers/protocol/job_request_json.h"

#include "consumer/handlers/protocol/raw_json.h"

namespace penstock {
namespace {

std::int64_t ms_since_1970(std::chrono::system_clock::time_point at) {
  return to_ms(std::chrono::floor<Duration>(at));
}

}  // namespace

FollowUp to_follow_up(const JobRequest& job) {
  nlohmann::json record{{"type", job.type}};
  if (job.raw_args.empty()) record["args"] = job.args;
  if (!job.id.empty()) record["id"] = job.id;
  if (job.run_at) record["run_at"] = ms_since_1970(*job.run_at);
  if (job.expires_at) record["expires_at"] = ms_since_1970(*job.expires_at);
  if (job.priority != 0) record["priority"] = job.priority;
  if (job.weight != 1) record["weight"] = job.weight;
  if (job.unique_key) record["unique_key"] = *job.unique_key;
  if (!job.meta.is_null()) record["meta"] = job.meta;
  std::string text = record.dump();
  if (!job.raw_args.empty()) {
    check_json(job.raw_args);
    text.pop_back();
    text.append(",\"args\":").append(job.raw_args).append("}");
  }
  return {job.queue, job.account, std::move(text)};
}

}  // namespace penstock
