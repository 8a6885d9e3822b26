// JSON's scalars, read strictly (RFC 8259). Pure. JsonScanner must have accepted the text: it is
// UTF-8, strings contain no raw control characters, and a space follows its last byte.
//
// Numbers may have any length and precision, because the text is kept and never rounded. A number
// beyond the range of a double (1e400) is refused, because most readers of it, nlohmann::json
// included, could not represent it.
#pragma once

#include <string_view>

namespace penstock {

// What is wrong with a scalar, or null.
using ScalarFault = const char*;

[[nodiscard]] constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

// `begin` is the first byte of a token that is not a string. The number must end before white space
// or one of ,:]}[{.
[[nodiscard]] ScalarFault check_number(const char* begin);
// `word` is true, false or null.
[[nodiscard]] ScalarFault check_word(const char* begin, std::string_view word);

struct Unescaped {
  char* end;          // end of the text that was written
  ScalarFault fault;  // what is wrong with the escapes, or null
};
// Writes the string's value to `out`. `text` is the raw text between its quotes; `out` must have
// room for text.size() bytes.
[[nodiscard]] Unescaped unescape(std::string_view text, char* out);

}  // namespace penstock
