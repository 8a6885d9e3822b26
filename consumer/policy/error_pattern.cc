#include "consumer/policy/error_pattern.h"

#include <algorithm>

namespace penstock {
namespace {

bool is_decimal(char c) { return c >= '0' && c <= '9'; }
bool is_printable(char c) { return static_cast<unsigned char>(c) >= 0x20 && c != 0x7f; }
bool is_hundred(char c) { return c >= '1' && c <= '5'; }

bool is_status(std::string_view text) {
  return text.size() == 3 && is_hundred(text[0]) && is_decimal(text[1]) && is_decimal(text[2]);
}

bool is_range(std::string_view text) {
  return text.size() == 3 && is_hundred(text[0]) && text.ends_with("xx");
}

bool is_name(std::string_view text) {
  // A text that begins with a digit must be a status or a range, and cannot pass as a name.
  return !text.empty() && text.size() <= kMaxErrorClassBytes && !is_decimal(text.front()) &&
         std::all_of(text.begin(), text.end(), is_printable);
}

}  // namespace

bool ErrorPattern::matches(std::string_view error_class) const {
  if (is_range(text)) return is_status(error_class) && error_class[0] == text[0];
  return text == error_class;
}

Result<ErrorPattern> parse_error_pattern(std::string_view text) {
  if (is_status(text) || is_range(text) || is_name(text)) return ErrorPattern{std::string(text)};
  return failure("found \"" + std::string(text.substr(0, kMaxErrorClassBytes)) +
                 "\", expected a status such as \"503\", a range such as \"5xx\", or an error's "
                 "name, which must not begin with a digit");
}

bool matches_any(std::span<const ErrorPattern> patterns, std::string_view error_class) {
  return std::any_of(patterns.begin(), patterns.end(), [error_class](const ErrorPattern& pattern) {
    return pattern.matches(error_class);
  });
}

}  // namespace penstock
