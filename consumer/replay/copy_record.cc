#include "consumer/replay/copy_record.h"

#include <nlohmann/json.hpp>

#include "consumer/replay/replay_terms.h"
#include "topics/json/json_document.h"
#include "topics/json/json_tree.h"

namespace penstock {

void write_copy_record(std::string& out, const JobRecord& original, std::string_view id,
                       bool keep_expiry, Time now) {
  out.clear();
  out.reserve(original.args.size() + original.meta.size() + original.type.size() + id.size() + 64);
  out += "{\"id\":";
  append_json_string(out, id);
  out += ",\"type\":";
  append_json_string(out, original.type);
  out.append(",\"args\":").append(original.args);
  const auto number = [&out](std::string_view name, std::int64_t value) {
    out.append(",\"").append(name).append("\":").append(std::to_string(value));
  };
  if (original.run_at && *original.run_at > now) number("run_at", to_ms(*original.run_at));
  if (keep_expiry && original.expires_at) number("expires_at", to_ms(*original.expires_at));
  if (original.priority != 0) number("priority", original.priority);
  if (original.weight != 1) number("weight", original.weight);
  if (original.unique_key) {
    out += ",\"unique_key\":";
    append_json_string(out, *original.unique_key);
  }
  if (!original.meta.empty()) out.append(",\"meta\":").append(original.meta);
  out += '}';
}

void write_copy_origin(std::string& out, std::string_view replay, std::string_view of,
                       std::string_view source) {
  out.assign("{\"id\":");
  append_json_string(out, replay);
  out += ",\"of\":";
  append_json_string(out, of);
  out += ",\"source\":";
  append_json_string(out, source);
  out += '}';
}

bool is_copy_record(std::string_view id, std::string_view origin) {
  const std::string_view name = replay_of_copy(id);
  const std::size_t slash = kCopyPrefix.size() + name.size();
  if (!check_replay_name(name) || slash >= id.size() || id[slash] != '/') return false;
  // A handler gets it as a part of one line, and counts on its members.
  thread_local JsonDocument document;
  if (origin.find_first_of("\r\n") != origin.npos || document.parse(origin)) return false;
  if (document.kind(JsonDocument::root()) != '{') return false;
  int members = 0;
  document.each_member(JsonDocument::root(), [&](std::string_view member, JsonToken value) {
    if (document.kind(value) != '"') return;
    if (member == "id" && document.string(value) == name) ++members;
    if (member == "of" || member == "source") ++members;
  });
  return members == 3;
}

std::string copy_origin_member(std::string_view origin, std::string_view name) {
  const auto json = nlohmann::json::parse(origin, nullptr, false);
  if (!json.is_object()) return {};
  const auto found = json.find(name);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace penstock
