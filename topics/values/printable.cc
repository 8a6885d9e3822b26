#include "topics/values/printable.h"

#include "topics/values/utf8.h"

namespace penstock {
namespace {

std::string hexadecimal(unsigned char c) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  return {'\\', 'x', kDigits[c >> 4], kDigits[c & 15]};
}

// U+0080 to U+009F are control characters too, and some terminals obey them.
bool begins_c1_control(std::string_view text) {
  return text.size() >= 2 && text[0] == '\xc2' && static_cast<unsigned char>(text[1]) >= 0x80 &&
         static_cast<unsigned char>(text[1]) < 0xa0;
}

void add_utf8(std::string_view text, std::string& line) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c == '\n') {
      line += "\\n";
    } else if (c == '\t') {
      line += "\\t";
    } else if (c < ' ' || c == 0x7f) {
      line += hexadecimal(c);
    } else if (begins_c1_control(text.substr(i))) {
      // The second byte alone is the number of the character: U+0085 becomes \x85.
      line += hexadecimal(static_cast<unsigned char>(text[++i]));
    } else {
      line += text[i];
    }
  }
}

}  // namespace

std::string printable(std::string_view text) {
  std::string line;
  for (;;) {
    const std::size_t good = first_bad_utf8(text);
    add_utf8(text.substr(0, good), line);
    if (good == text.size()) return line;
    line += hexadecimal(static_cast<unsigned char>(text[good]));
    text.remove_prefix(good + 1);
  }
}

std::string quoted_text(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '"' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return '"' + printable(escaped) + '"';
}

}  // namespace penstock
