#include "topics/json/json_pointer.h"

#include <optional>

namespace penstock {
namespace {

std::optional<std::string> unescaped(std::string_view token) {
  std::string plain;
  for (std::size_t i = 0; i < token.size(); ++i) {
    if (token[i] != '~') {
      plain += token[i];
      continue;
    }
    if (++i == token.size() || (token[i] != '0' && token[i] != '1')) return std::nullopt;
    plain += token[i] == '0' ? '~' : '/';
  }
  return plain;
}

tl::unexpected<Error> pointer_refusal(std::string_view text, std::string_view expected) {
  return failure("found \"" + std::string(text) + "\", expected " + std::string(expected));
}

}  // namespace

Result<JsonPointer> parse_json_pointer(std::string_view text) {
  if (text.size() > kMaxPointerBytes) {
    return failure("found " + std::to_string(text.size()) +
                   " bytes, expected a JSON pointer of at most " +
                   std::to_string(kMaxPointerBytes));
  }
  JsonPointer pointer{std::string(text), {}};
  if (!text.empty() && text.front() != '/') {
    return pointer_refusal(text, "a JSON pointer such as \"/segment_id\"");
  }
  while (!text.empty()) {
    text.remove_prefix(1);
    const std::size_t end = text.find('/');
    auto token = unescaped(text.substr(0, end));
    if (!token) return pointer_refusal(pointer.text, "each ~ to be followed by 0 or 1");
    pointer.tokens.push_back(*std::move(token));
    text = end == text.npos ? std::string_view() : text.substr(end);
  }
  return pointer;
}

}  // namespace penstock
