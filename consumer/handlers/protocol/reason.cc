#include "consumer/handlers/protocol/reason.h"

namespace penstock {
namespace {

struct Utf8Lead {
  std::size_t bytes;        // 0: not a lead byte
  unsigned char low, high;  // the range of the second byte (Unicode, table 3-7)
};

Utf8Lead utf8_lead(unsigned char c) {
  if (c < 0x80) return {1, 0, 0};
  if (c < 0xc2 || c > 0xf4) return {0, 0, 0};
  if (c < 0xe0) return {2, 0x80, 0xbf};
  if (c == 0xe0) return {3, 0xa0, 0xbf};
  if (c == 0xed) return {3, 0x80, 0x9f};
  if (c < 0xf0) return {3, 0x80, 0xbf};
  if (c == 0xf0) return {4, 0x90, 0xbf};
  return {4, 0x80, c == 0xf4 ? static_cast<unsigned char>(0x8f) : static_cast<unsigned char>(0xbf)};
}

// The length of the character at the beginning of `text`; 0 if there is none.
std::size_t character_bytes(std::string_view text) {
  const Utf8Lead lead = utf8_lead(static_cast<unsigned char>(text[0]));
  if (lead.bytes > text.size()) return 0;
  for (std::size_t i = 1; i < lead.bytes; ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const bool fits = i == 1 ? c >= lead.low && c <= lead.high : c >= 0x80 && c <= 0xbf;
    if (!fits) return 0;
  }
  return lead.bytes;
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

}  // namespace

std::string one_line(std::string_view text, std::size_t max_bytes) {
  std::string line;
  while (!text.empty()) {
    const std::size_t bytes = character_bytes(text);
    const std::size_t taken = bytes == 0 ? 1 : bytes;
    // Cut between characters.
    if (line.size() + taken > max_bytes) break;
    // A byte that is not UTF-8 would make the rows and events that quote the text invalid JSON.
    if (bytes == 0) {
      line += '?';
    } else if (is_control(text[0])) {
      line += ' ';
    } else {
      line += text.substr(0, bytes);
    }
    text.remove_prefix(taken);
  }
  return line;
}

std::string quoted_start(std::string_view text) {
  const bool cut = text.size() > kMaxQuotedBytes;
  return '"' + one_line(text, kMaxQuotedBytes) + (cut ? "...\"" : "\"");
}

}  // namespace penstock
