#include "cli/enqueue/enqueue_record.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "consumer/policy/duration.h"
#include "topics/values/trimmed.h"

namespace penstock {
namespace {

bool is_number(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// Bytes that are not UTF-8 are kept, so that the producer's error can name the member.
std::string json_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += nlohmann::json(std::string(1, c)).dump().substr(1);
      out.pop_back();
    } else {
      out += c;
    }
  }
  return out += '"';
}

// A time that is given, or that is so long from now.
Result<std::string> time_text(const std::string& at, const std::string& in, const char* in_option,
                              Time now) {
  if (!in.empty()) {
    const auto duration = parse_duration(in);
    if (!duration) return failure(std::string(in_option) + ": " + duration.error().message);
    return std::to_string(to_ms(now + *duration));
  }
  // In a job record, milliseconds are a number, and an RFC 3339 time is a string.
  return is_number(at) ? at : json_string(at);
}

bool is_object(const std::string& text) {
  return nlohmann::json::accept(text) && trimmed(text).starts_with('{');
}

// The job is one chunk of a bulk.
Result<std::string> chunk_text(const EnqueueOptions& options) {
  std::string text = ",\"bulk\":{\"id\":" + json_string(options.bulk) +
                     ",\"index\":" + std::to_string(*options.bulk_index) +
                     ",\"size\":" + std::to_string(*options.bulk_size);
  if (!options.on_done.empty()) {
    if (!is_object(options.on_done)) return failure("--on-done: expected a JSON object");
    text += ",\"on_done\":" + options.on_done;
  }
  return text + "}";
}

}  // namespace

Result<std::string> enqueue_record(const EnqueueOptions& options, Time now) {
  std::string record = "{\"type\":" + json_string(options.type);
  if (!options.id.empty()) record += ",\"id\":" + json_string(options.id);
  if (!options.args.empty()) {
    // Must be exactly one value, because the text is put into the record unchanged.
    if (!nlohmann::json::accept(options.args)) {
      return failure("--args: expected JSON, such as '{\"segment_id\":7}'");
    }
    record += ",\"args\":" + options.args;
  }
  const auto add_time = [&](const char* member, const std::string& at, const std::string& in,
                            const char* in_option) -> Status {
    if (at.empty() && in.empty()) return {};
    const auto text = time_text(at, in, in_option, now);
    if (!text) return tl::unexpected(text.error());
    record += std::string(",\"") + member + "\":" + *text;
    return {};
  };
  if (const Status added = add_time("run_at", options.run_at, options.in, "--in"); !added)
    return tl::unexpected(added.error());
  if (const Status added =
          add_time("expires_at", options.expires_at, options.expires_in, "--expires-in");
      !added)
    return tl::unexpected(added.error());
  if (options.priority) record += ",\"priority\":" + std::to_string(*options.priority);
  if (options.weight) record += ",\"weight\":" + std::to_string(*options.weight);
  if (options.bulk_index && options.bulk_size) {
    const auto chunk = chunk_text(options);
    if (!chunk) return chunk;
    record += *chunk;
  }
  if (!options.unique_key.empty()) record += ",\"unique_key\":" + json_string(options.unique_key);
  if (!options.meta.empty()) {
    if (!is_object(options.meta)) return failure("--meta: expected a JSON object");
    record += ",\"meta\":" + options.meta;
  }
  return record + "}";
}

}  // namespace penstock
