#include "topics/values/topic_uuid.h"

#include <string_view>

namespace penstock {
namespace {

constexpr std::string_view kBase64UrlDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr int kUuidBits = 128;
constexpr int kBitsPerDigit = 6;

// Bit 0 is the most significant one; bits past the end are 0.
unsigned bit(const TopicUuid& uuid, int at) {
  if (at >= kUuidBits) return 0;
  const std::uint64_t half = at < 64 ? uuid.high : uuid.low;
  return static_cast<unsigned>(half >> (63 - at % 64) & 1U);
}

}  // namespace

std::string to_text(const TopicUuid& uuid) {
  std::string text;
  for (int at = 0; at < kUuidBits; at += kBitsPerDigit) {
    unsigned digit = 0;
    for (int i = 0; i < kBitsPerDigit; ++i) digit = digit << 1U | bit(uuid, at + i);
    text += kBase64UrlDigits[digit];
  }
  return text;
}

}  // namespace penstock
