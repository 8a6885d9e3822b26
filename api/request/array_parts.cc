#include "api/request/array_parts.h"

#include "topics/values/trimmed.h"

namespace penstock {
namespace {

// The index after the string that begins at `at`.
std::size_t behind_string(std::string_view text, std::size_t at) {
  for (++at; at < text.size(); ++at) {
    if (text[at] == '\\') {
      ++at;
    } else if (text[at] == '"') {
      return at + 1;
    }
  }
  return text.size();
}

// The index of the comma or bracket that ends the element at `at`.
std::size_t element_end(std::string_view text, std::size_t at) {
  std::size_t depth = 0;
  while (at < text.size()) {
    const char c = text[at];
    if (c == '"') {
      at = behind_string(text, at);
      continue;
    }
    const bool closes = c == ']' || c == '}';
    if (depth == 0 && (closes || c == ',')) return at;
    if (c == '[' || c == '{') ++depth;
    if (closes) --depth;
    ++at;
  }
  return text.size();
}

std::optional<std::vector<std::string_view>> parts_of(std::string_view text, char open, char close,
                                                      std::size_t max_parts) {
  text = trimmed(text);
  if (text.size() < 2 || text.front() != open || text.back() != close) return std::nullopt;
  std::vector<std::string_view> parts;
  if (trimmed(text.substr(1, text.size() - 2)).empty()) return parts;
  for (std::size_t at = 1; parts.size() <= max_parts; ++at) {
    const std::size_t end = element_end(text, at);
    if (end == text.size()) return std::nullopt;
    // A part may be empty, as after a trailing comma; the reader of the parts refuses it.
    parts.push_back(trimmed(text.substr(at, end - at)));
    at = end;
    if (text[end] == ',') continue;
    if (text[end] == close && end + 1 == text.size()) return parts;
    return std::nullopt;
  }
  return parts;
}

}  // namespace

std::optional<std::vector<std::string_view>> array_parts(std::string_view text,
                                                         std::size_t max_parts) {
  return parts_of(text, '[', ']', max_parts);
}

std::optional<std::vector<std::string_view>> object_parts(std::string_view text,
                                                          std::size_t max_parts) {
  return parts_of(text, '{', '}', max_parts);
}

}  // namespace penstock
