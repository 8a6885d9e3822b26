#include "api/dead/dead_json.h"

#include <algorithm>
#include <string>

#include "topics/values/rfc3339.h"
#include "topics/values/utf8.h"

namespace penstock {
namespace {

using Json = nlohmann::ordered_json;

std::string hex_text(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(bytes.size() * 2);
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += {kDigits[byte >> 4U], kDigits[byte & 15U]};
  }
  return text;
}

Json or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

// Sets `name`, or `name`_hex, to at most `most` bytes. True: that is not all.
bool put(Json& json, const std::string& name, const std::optional<std::string>& bytes,
         std::size_t most) {
  if (!bytes) {
    json[name] = nullptr;
    return false;
  }
  std::string_view shown = std::string_view(*bytes).substr(0, most);
  if (is_utf8(*bytes)) {
    // Between characters.
    shown = shown.substr(0, first_bad_utf8(shown));
    json[name] = shown;
  } else {
    json[name + "_hex"] = hex_text(shown);
  }
  return shown.size() < bytes->size();
}

}  // namespace

Json dead_json(const DeadEntry& entry, std::string_view queue, const DeadShown& shown) {
  Json json{{"queue", queue},
            {"partition", entry.partition},
            {"offset", entry.offset.value},
            {"at", entry.at ? Json(format_rfc3339(*entry.at)) : Json()},
            {"reason", or_null(entry.reason)},
            {"detail", or_null(entry.detail)},
            {"source", or_null(entry.source)},
            {"attempts", entry.attempts},
            {"type", or_null(entry.type)},
            {"id", or_null(entry.id)}};
  put(json, "account", entry.key, SIZE_MAX);
  json["bytes"] = entry.value ? Json(entry.value->size()) : Json();
  if (entry.cut_bytes) json["original_bytes"] = *entry.cut_bytes;
  if (put(json, "value", entry.value, shown.value_bytes)) json["value_cut"] = true;
  bool cut = entry.headers.size() > shown.headers;
  Json headers = Json::array();
  for (std::size_t i = 0; i < std::min(entry.headers.size(), shown.headers); ++i) {
    Json header{{"name", entry.headers[i].name}};
    cut = put(header, "value", entry.headers[i].value, shown.header_bytes) || cut;
    headers.push_back(std::move(header));
  }
  json["headers"] = std::move(headers);
  if (cut) json["headers_cut"] = true;
  return json;
}

}  // namespace penstock
