// Text without surrounding blanks. Blanks are JSON's white space, which is also that of text lines
// and of HTTP fields (RFC 8259 section 2, RFC 9110 section 5.6.3). Pure.
#pragma once

#include <string_view>

namespace penstock {

[[nodiscard]] constexpr std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(blanks);
  return first == text.npos ? std::string_view{}
                            : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

}  // namespace penstock
