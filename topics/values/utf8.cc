#include "topics/values/utf8.h"

#include <cstdint>
#include <cstring>

namespace penstock {
namespace {

constexpr std::uint64_t kHighBits = 0x8080808080808080U;

std::size_t skip_ascii(std::string_view text, std::size_t at) {
  // Eight bytes at a time, because most text is ASCII throughout; copied, because it need not be
  // aligned.
  std::uint64_t eight;
  while (at + sizeof eight <= text.size()) {
    std::memcpy(&eight, text.data() + at, sizeof eight);
    if ((eight & kHighBits) != 0) break;
    at += sizeof eight;
  }
  while (at < text.size() && static_cast<unsigned char>(text[at]) < 0x80) ++at;
  return at;
}

bool is_tail(std::string_view text, std::size_t at) {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
}

// The length of a character whose first byte is 0x80 or more, or 0 if it is malformed (see the
// table in RFC 3629 section 4).
std::size_t character_length(std::string_view text, std::size_t at) {
  const auto first = static_cast<unsigned char>(text[at]);
  if (first < 0xC2 || first > 0xF4 || !is_tail(text, at + 1)) return 0;
  if (first < 0xE0) return 2;
  const auto second = static_cast<unsigned char>(text[at + 1]);
  if (!is_tail(text, at + 2)) return 0;
  if (first < 0xF0) {
    const bool overlong = first == 0xE0 && second < 0xA0;
    const bool surrogate = first == 0xED && second > 0x9F;
    return overlong || surrogate ? 0 : 3;
  }
  const bool overlong = first == 0xF0 && second < 0x90;
  const bool too_large = first == 0xF4 && second > 0x8F;
  return overlong || too_large || !is_tail(text, at + 3) ? 0 : 4;
}

}  // namespace

std::size_t first_bad_utf8(std::string_view text) {
  for (std::size_t at = 0;;) {
    at = skip_ascii(text, at);
    if (at == text.size()) return at;
    const std::size_t length = character_length(text, at);
    if (length == 0) return at;
    at += length;
  }
}

std::string excerpt(std::string_view text, std::size_t max_bytes) {
  std::string line;
  std::size_t at = 0;
  while (at < text.size()) {
    const auto first = static_cast<unsigned char>(text[at]);
    const std::size_t length = first < 0x80 ? 1 : character_length(text, at);
    if (line.size() + (length == 0 ? 1 : length) > max_bytes) return line + "...";
    if (length == 0) {
      line += '?';
    } else if (first < 0x20 || first == 0x7F) {
      line += ' ';
    } else {
      line += text.substr(at, length);
    }
    at += length == 0 ? 1 : length;
  }
  return line;
}

char* put_utf8(char* out, char32_t code_point) {
  const auto put = [&out](char32_t byte) { *out++ = static_cast<char>(byte); };
  if (code_point < 0x80) {
    put(code_point);
  } else if (code_point < 0x800) {
    put(0xC0 | (code_point >> 6));
    put(0x80 | (code_point & 0x3F));
  } else if (code_point < 0x10000) {
    put(0xE0 | (code_point >> 12));
    put(0x80 | ((code_point >> 6) & 0x3F));
    put(0x80 | (code_point & 0x3F));
  } else {
    put(0xF0 | (code_point >> 18));
    put(0x80 | ((code_point >> 12) & 0x3F));
    put(0x80 | ((code_point >> 6) & 0x3F));
    put(0x80 | (code_point & 0x3F));
  }
  return out;
}

}  // namespace penstock
