#include "cli/enqueue/enqueue_record.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "consumer/policy/duration.h"

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

Result<std::string> run_at_text(const EnqueueOptions& options, Time now) {
  if (!options.in.empty()) {
    const auto in = parse_duration(options.in);
    if (!in) return failure("--in: " + in.error().message);
    return std::to_string(to_ms(now + *in));
  }
  // In a job record, milliseconds are a number, and an RFC 3339 time is a string.
  return is_number(options.run_at) ? options.run_at : json_string(options.run_at);
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
  if (!options.run_at.empty() || !options.in.empty()) {
    const auto text = run_at_text(options, now);
    if (!text) return tl::unexpected(text.error());
    record += ",\"run_at\":" + *text;
  }
  if (options.priority) record += ",\"priority\":" + std::to_string(*options.priority);
  if (options.weight) record += ",\"weight\":" + std::to_string(*options.weight);
  return record + "}";
}

}  // namespace penstock
