#include "consumer/job/derived_id.h"

#include "state/rows/digest.h"
#include "topics/record/job_record.h"
#include "topics/values/check.h"

namespace penstock {
namespace {

constexpr std::size_t kDigestDigits = 2 * kDigestBytes;

std::string digits_of(const Digest& digest) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const std::uint64_t half : {digest.high, digest.low}) {
    for (int shift = 60; shift >= 0; shift -= 4) text.push_back(kDigits[(half >> shift) & 0xf]);
  }
  return text;
}

// At most `most` bytes, cut between characters.
std::string_view head_of(std::string_view text, std::size_t most) {
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xc0U) == 0x80U) --most;
  return text.substr(0, most);
}

}  // namespace

std::string derived_id(std::string_view id, std::string_view ending) {
  if (id.size() + ending.size() <= kMaxDerivedIdBytes) return std::string(id).append(ending);
  PENSTOCK_CHECK(ending.size() + kDigestDigits + 1 < kMaxDerivedIdBytes, "an ending is short");
  const std::size_t room = kMaxDerivedIdBytes - ending.size() - kDigestDigits - 1;
  return std::string(head_of(id, room))
      .append("~")
      .append(digits_of(text_digest(id)))
      .append(ending);
}

}  // namespace penstock
