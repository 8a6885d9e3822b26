#include "consumer/bulk/on_done.h"

#include <nlohmann/json.hpp>

#include "topics/record/job_decoder.h"
#include "topics/values/check.h"

namespace penstock {
namespace {

using nlohmann::json;

std::string numbers(std::string_view id, const BulkRow& row) {
  const nlohmann::ordered_json numbers{
      {"id", id},         {"size", row.size},           {"succeeded", row.succeeded},
      {"dead", row.dead}, {"cancelled", row.cancelled}, {"expired", row.expired}};
  return "\"bulk\":" + numbers.dump();
}

// The object with the numbers in front. It has no member `bulk` of its own: the decoder refuses
// that.
std::string with_numbers(std::string_view args, const std::string& numbers) {
  const std::size_t brace = args.find('{');
  const std::string_view rest = args.substr(brace + 1);
  const bool empty = rest[rest.find_first_not_of(" \t\r\n")] == '}';
  return "{" + numbers + (empty ? "" : ",") + std::string(rest);
}

std::string id_of(std::string_view bulk, const BulkRow& row) {
  // With the first chunk's sequence number, because a later bulk may have the same id.
  return std::string(bulk) + "@" + std::to_string(row.first_seq.value) + "/on_done";
}

std::string text(std::string_view value) { return json(value).dump(); }

}  // namespace

std::string on_done_record(std::string_view account, std::string_view id,
                           const Bulks::AllEnded& all) {
  thread_local JobDecoder decoder;
  const auto job = decoder.decode(account, all.on_done, kMaxDerivedIdBytes);
  PENSTOCK_CHECK(job.has_value(), "an admitted on_done decodes again");
  std::string record = "{\"type\":" + text(job->type);
  const std::string own(job->id);
  record += ",\"id\":" + text(own.empty() ? id_of(id, all.row) : own);
  record += ",\"args\":" + with_numbers(job->args, numbers(id, all.row));
  if (job->run_at) record += ",\"run_at\":" + std::to_string(to_ms(*job->run_at));
  if (job->expires_at) record += ",\"expires_at\":" + std::to_string(to_ms(*job->expires_at));
  if (job->priority != 0) record += ",\"priority\":" + std::to_string(job->priority);
  if (job->weight != 1) record += ",\"weight\":" + std::to_string(job->weight);
  if (job->unique_key) record += ",\"unique_key\":" + text(*job->unique_key);
  if (!job->meta.empty()) record += ",\"meta\":" + std::string(job->meta);
  return record + "}";
}

}  // namespace penstock
