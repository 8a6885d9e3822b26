#include "consumer/job/handler.h"

#include "state/rows/digest.h"
#include "topics/record/record_headers.h"
#include "topics/values/check.h"

namespace penstock {
namespace {

constexpr std::size_t kTokenChars = 8 + 1 + 16 + 1 + 16 + 1 + 8 + 1 + 4;
constexpr PartitionId kMaxTokenPartition = 0xffff;

// All its digits, the last of them before `end`.
template <typename Number>
void put_hex(std::string& text, std::size_t end, Number number) {
  for (std::size_t left = 2 * sizeof number; left > 0; --left) {
    text[--end] = "0123456789abcdef"[number & 0xfU];
    number = static_cast<Number>(number >> 4U);
  }
}

}  // namespace

std::size_t follow_up_bytes(std::span<const Header> headers) {
  std::size_t bytes = 0;
  for (const Header& header : headers) bytes += size_of(view_of(header)) + kHeaderFrameBytes;
  return bytes;
}

TokenPlace TokenPlace::of(std::string_view topic, PartitionId partition) {
  PENSTOCK_CHECK(partition >= 0 && partition <= kMaxTokenPartition,
                 "a partition has 4 digits in a token");
  return {static_cast<std::uint32_t>(text_digest(topic).low), partition};
}

std::string Token::text() const {
  std::string text(kTokenChars, '-');
  put_hex(text, 8, generation);
  put_hex(text, 25, static_cast<std::uint64_t>(epoch));
  put_hex(text, 42, number);
  put_hex(text, 51, place.queue);
  put_hex(text, 56, static_cast<std::uint16_t>(place.partition));
  return text;
}

}  // namespace penstock
