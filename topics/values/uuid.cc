#include "topics/values/uuid.h"

#include <string_view>

#include "topics/values/check.h"

namespace penstock {
namespace {

constexpr std::uint64_t kVersion = 7;
constexpr std::uint64_t kVariant = 0b10;
constexpr std::string_view kHexDigits = "0123456789abcdef";

void put_hex(std::string& text, std::uint64_t value, int digits) {
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) {
    text += kHexDigits[value >> shift & 0xF];
  }
}

}  // namespace

std::string uuid_v7(Time time, UuidChance chance) {
  PENSTOCK_CHECK(to_ms(time) >= 0, "a UUID of a time before 1970");
  const auto ms = static_cast<std::uint64_t>(to_ms(time));
  const std::uint64_t low = kVariant << 62 | (chance.low & ~(std::uint64_t{3} << 62));
  std::string text;
  text.reserve(kUuidBytes);
  put_hex(text, ms >> 16, 8);
  text += '-';
  put_hex(text, ms, 4);
  text += '-';
  put_hex(text, kVersion << 12 | (chance.high & 0xFFF), 4);
  text += '-';
  put_hex(text, low >> 48, 4);
  text += '-';
  put_hex(text, low, 12);
  return text;
}

}  // namespace penstock
