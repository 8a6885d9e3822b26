// JSON's scalars, read strictly (RFC 8259). Pure. The text is one that JsonScanner has passed:
// UTF-8, no raw control characters in strings, and a space after its last byte.
//
// Numbers: any length and precision is good, as the text is kept and never rounded; one whose
// magnitude is beyond a double (1e400) is refused, because most readers of it, nlohmann::json among
// them, could not hold it.
#pragma once

#include <string_view>

namespace penstock {

// What is wrong with a scalar, or nothing.
using ScalarFault = const char*;

[[nodiscard]] constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

// `begin` is the first byte of a token that is no string; it must end before white space or one of
// ,:]}[{.
[[nodiscard]] ScalarFault check_number(const char* begin);
// `word` is true, false or null.
[[nodiscard]] ScalarFault check_word(const char* begin, std::string_view word);

struct Unescaped {
  char* end;          // where the written text ends
  ScalarFault fault;  // or what is wrong with the escapes
};
// Writes what a string's text, as it stands between its quotes, means; `out` has room for
// text.size() bytes.
[[nodiscard]] Unescaped unescape(std::string_view text, char* out);

}  // namespace penstock
