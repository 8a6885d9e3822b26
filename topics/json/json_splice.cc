#include "topics/json/json_splice.h"

#include "topics/json/json_tree.h"

namespace penstock {
namespace {

void append_others(std::string& out, JsonDocument& document, std::string_view left_out) {
  document.each_member(JsonDocument::root(), [&](std::string_view name, JsonToken value) {
    if (name == left_out) return;
    if (out.back() != '{') out += ',';
    // In the text, the name is two tokens before its value.
    out.append(document.raw(value - 2)).append(":").append(document.raw(value));
  });
}

}  // namespace

std::string with_member(JsonDocument& document, std::string_view name, std::string_view value) {
  std::string out = "{";
  append_json_string(out, name);
  out.append(":").append(value);
  append_others(out, document, name);
  return out += '}';
}

std::string without_member(JsonDocument& document, std::string_view name) {
  std::string out = "{";
  append_others(out, document, name);
  return out += '}';
}

}  // namespace penstock
