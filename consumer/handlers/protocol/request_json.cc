#include "consumer/handlers/protocol/request_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace penstock {
namespace {

void append_string(std::string& out, std::string_view text) {
  out += nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// In JSON, a raw line break can only be between tokens, where a blank is equivalent.
void append_raw(std::string& out, std::string_view json) {
  const std::size_t begin = out.size();
  out += json;
  std::replace_if(
      out.begin() + static_cast<std::ptrdiff_t>(begin), out.end(),
      [](char c) { return c == '\n' || c == '\r'; }, ' ');
}

std::string headers_json(const std::vector<Header>& headers) {
  auto object = nlohmann::json::object();
  for (const Header& header : headers) {
    object[header.name] = header.value ? nlohmann::json(*header.value) : nlohmann::json();
  }
  // A header is any bytes. Without replacement, one that is not UTF-8 would throw, and its job
  // could never run.
  return object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void append_items(std::string& out, const std::vector<AttemptItem>& items) {
  out += R"(,"items":[)";
  for (const AttemptItem& item : items) {
    if (&item != &items.front()) out += ',';
    out += R"({"id":)";
    append_string(out, item.id);
    out += R"(,"args":)";
    append_raw(out, item.args.empty() ? "{}" : item.args);
    out += R"(,"attempt":)" + std::to_string(item.attempt);
    out += R"(,"headers":)" + headers_json(item.headers);
    if (!item.replay.empty()) out.append(R"(,"replay":)").append(item.replay);
    out += '}';
  }
  out += ']';
}

}  // namespace

std::string request_json(const AttemptRequest& request) {
  std::string out;
  out.reserve(256 + request.args.size() + request.cursor.size());
  out += R"({"id":)";
  append_string(out, request.id);
  out += R"(,"type":)";
  append_string(out, request.type);
  out += R"(,"account":)";
  append_string(out, request.account);
  out += R"(,"queue":)";
  append_string(out, request.queue);
  if (request.items.empty()) {
    out += R"(,"args":)";
    append_raw(out, request.args.empty() ? "{}" : request.args);
  } else {
    append_items(out, request.items);
  }
  out += R"(,"attempt":)" + std::to_string(request.attempt);
  out += R"(,"max_attempts":)" + std::to_string(request.max_attempts);
  out += R"(,"token":")" + request.key.token.text() + '"';
  out += R"(,"cursor":)";
  append_raw(out, request.cursor.empty() ? "null" : request.cursor);
  out += R"(,"headers":)" + headers_json(request.headers);
  if (!request.replay.empty()) out.append(R"(,"replay":)").append(request.replay);
  out += '}';
  return out;
}

}  // namespace penstock
