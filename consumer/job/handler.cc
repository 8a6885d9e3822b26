#include "consumer/job/handler.h"

#include <cinttypes>
#include <cstdio>

#include "state/rows/digest.h"
#include "topics/record/record_headers.h"
#include "topics/values/check.h"

namespace penstock {
namespace {

constexpr std::size_t kTokenChars = 8 + 1 + 16 + 1 + 16 + 1 + 8 + 1 + 4;
constexpr PartitionId kMaxTokenPartition = 0xffff;

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
  char text[kTokenChars + 1];
  std::snprintf(text, sizeof text,
                "%08" PRIx32 "-%016" PRIx64 "-%016" PRIx64 "-%08" PRIx32 "-%04" PRIx16, generation,
                static_cast<std::uint64_t>(epoch), number, place.queue,
                static_cast<std::uint16_t>(place.partition));
  return {text, kTokenChars};
}

}  // namespace penstock
