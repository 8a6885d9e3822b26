#include "consumer/replay/program_line.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "topics/json/json_splice.h"

namespace penstock {
namespace {

// What is not UTF-8 is shown as well as it can be.
std::string line_string(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

bool is_object(const JsonDocument& document) { return document.kind(JsonDocument::root()) == '{'; }

JsonDocument& line_document() {
  thread_local JsonDocument document;
  return document;
}

}  // namespace

std::string program_line(std::string_view account, std::string_view value) {
  JsonDocument& document = line_document();
  if (document.parse(value) || !is_object(document))
    return R"({"account":)" + line_string(account) + R"(,"value":)" + line_string(value) + "}";
  std::string line = with_member(document, "account", line_string(account));
  // In JSON, a raw line break can only be between tokens, where a blank is equivalent.
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return line;
}

std::optional<ProgramAnswer> parse_program_answer(std::string_view line) {
  JsonDocument& document = line_document();
  if (document.parse(line) || !is_object(document)) return std::nullopt;
  ProgramAnswer answer;
  bool is_good = true;
  document.each_member(JsonDocument::root(), [&](std::string_view name, JsonToken value) {
    if (name != "account") return;
    is_good = document.kind(value) == '"';
    if (is_good) answer.account = document.string(value);
  });
  if (!is_good) return std::nullopt;
  answer.record = without_member(document, "account");
  return answer;
}

}  // namespace penstock
