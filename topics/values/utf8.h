// UTF-8 as RFC 3629 defines it: no overlong forms, no surrogates, nothing above U+10FFFF. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace penstock {

// The index of the first byte that is not part of well-formed UTF-8, or text.size() if there is
// none.
[[nodiscard]] std::size_t first_bad_utf8(std::string_view text);

[[nodiscard]] inline bool is_utf8(std::string_view text) {
  return first_bad_utf8(text) == text.size();
}

// At most `max_bytes` of `text`, on one line, for a message: cut between characters and then ending
// in "...", with control characters as spaces and bytes that are not UTF-8 as '?'.
[[nodiscard]] std::string excerpt(std::string_view text, std::size_t max_bytes = 40);

// Writes the UTF-8 form of a code point below U+110000 to `out`, which must have room for 4 bytes.
// Returns its end.
[[nodiscard]] char* put_utf8(char* out, char32_t code_point);

}  // namespace penstock
