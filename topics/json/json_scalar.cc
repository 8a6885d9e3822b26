#include "topics/json/json_scalar.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <system_error>

#include "topics/values/utf8.h"

namespace penstock {
namespace {

// A number with this many digits and no exponent cannot overflow a double.
constexpr std::ptrdiff_t kSurelyADouble = 300;

bool ends_token(char c) {
  switch (c) {
    case ' ':
    case '\t':
    case '\n':
    case '\r':
    case ',':
    case ':':
    case ']':
    case '}':
    case '[':
    case '{':
      return true;
    default:
      return false;
  }
}

const char* skip_digits(const char* at) {
  while (is_digit(*at)) ++at;
  return at;
}

// For a number that from_chars could not hold: whether it is too large, rather than too close to
// zero. Its first nonzero digit is then hundreds of places left or right of the decimal point.
bool is_too_large(const char* begin, const char* end) {
  const char* exponent_at = std::find_if(begin, end, [](char c) { return c == 'e' || c == 'E'; });
  const char* point = std::find(begin, exponent_at, '.');
  const char* first =
      std::find_if(begin, exponent_at, [](char c) { return is_digit(c) && c != '0'; });
  constexpr std::int64_t kHuge = 1'000'000'000;
  std::int64_t exponent = 0;
  const bool negative = exponent_at != end && exponent_at[1] == '-';
  for (const char* at = exponent_at; at != end; ++at) {
    // Capped, because an exponent may have any number of digits.
    if (is_digit(*at)) exponent = std::min(kHuge, exponent * 10 + (*at - '0'));
  }
  return (point - first) + (negative ? -exponent : exponent) > 0;
}

bool overflows_double(const char* begin, const char* end) {
  double value;
  return std::from_chars(begin, end, value).ec == std::errc::result_out_of_range &&
         is_too_large(begin, end);
}

constexpr char32_t kBadHex = 0xFFFFFFFF;

char32_t hex_digit(char c) {
  if (is_digit(c)) return static_cast<char32_t>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<char32_t>(c - 'a' + 10);
  if (c >= 'A' && c <= 'F') return static_cast<char32_t>(c - 'A' + 10);
  return kBadHex;
}

char32_t four_hex_digits(std::string_view text) {
  if (text.size() < 4) return kBadHex;
  char32_t value = 0;
  for (const char c : text.substr(0, 4)) {
    const char32_t digit = hex_digit(c);
    if (digit == kBadHex) return kBadHex;
    value = value << 4 | digit;
  }
  return value;
}

bool is_high_surrogate(char32_t unit) { return unit >= 0xD800 && unit <= 0xDBFF; }
bool is_low_surrogate(char32_t unit) { return unit >= 0xDC00 && unit <= 0xDFFF; }

constexpr ScalarFault kLoneSurrogate = "half of a surrogate pair";

// Reads what follows "\u" and moves `text` past it.
ScalarFault unescape_unit(std::string_view& text, char*& out) {
  const char32_t unit = four_hex_digits(text);
  if (unit == kBadHex) return "\\u without four hexadecimal digits";
  text.remove_prefix(4);
  if (is_low_surrogate(unit)) return kLoneSurrogate;
  if (!is_high_surrogate(unit)) {
    out = put_utf8(out, unit);
    return nullptr;
  }
  if (!text.starts_with("\\u")) return kLoneSurrogate;
  const char32_t low = four_hex_digits(text.substr(2));
  if (!is_low_surrogate(low)) return kLoneSurrogate;  // bad digits are not a low surrogate either
  text.remove_prefix(6);
  out = put_utf8(out, 0x10000 + ((unit - 0xD800) << 10 | (low - 0xDC00)));
  return nullptr;
}

char short_escape(char c) {
  switch (c) {
    case '"':
    case '\\':
    case '/':
      return c;
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    default:
      return 0;
  }
}

}  // namespace

ScalarFault check_number(const char* begin) {
  constexpr ScalarFault kNoNumber = "neither a value nor a well-formed number";
  const char* at = *begin == '-' ? begin + 1 : begin;
  if (!is_digit(*at)) return kNoNumber;
  const char* whole = at;
  at = skip_digits(at);
  if (*whole == '0' && at - whole > 1) return "a number that begins with 0";
  const bool long_whole = at - whole > kSurelyADouble;
  if (*at == '.') {
    if (!is_digit(*++at)) return kNoNumber;
    at = skip_digits(at);
  }
  const bool has_exponent = *at == 'e' || *at == 'E';
  if (has_exponent) {
    ++at;
    if (*at == '+' || *at == '-') ++at;
    if (!is_digit(*at)) return kNoNumber;
    at = skip_digits(at);
  }
  if (!ends_token(*at)) return kNoNumber;
  // Only these can overflow; all other numbers are spared the conversion.
  if ((has_exponent || long_whole) && overflows_double(begin, at)) {
    return "a number beyond the range of a double (send it as a string)";
  }
  return nullptr;
}

ScalarFault check_word(const char* begin, std::string_view word) {
  // Near the end of the text, this reads the spaces that the scanner has put after it.
  const bool same = std::memcmp(begin, word.data(), word.size()) == 0;
  return same && ends_token(begin[word.size()]) ? nullptr
                                                : "a word that is not true, false or null";
}

Unescaped unescape(std::string_view text, char* out) {
  while (!text.empty()) {
    const std::size_t plain = std::min(text.find('\\'), text.size());
    out = std::copy_n(text.data(), plain, out);
    text.remove_prefix(plain);
    if (text.empty()) break;
    if (text.size() < 2) return {out, "an escape that does not end"};
    const char kind = text[1];
    text.remove_prefix(2);
    if (kind == 'u') {
      if (const ScalarFault fault = unescape_unit(text, out)) return {out, fault};
    } else if (const char meant = short_escape(kind)) {
      *out++ = meant;
    } else {
      return {out, "an escape that JSON does not have"};
    }
  }
  return {out, nullptr};
}

}  // namespace penstock
