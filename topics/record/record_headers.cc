#include "topics/record/record_headers.h"

#include <string>

#include "topics/record/dead_letter.h"

namespace penstock {
namespace {

BadRecord too_large(const char* which, std::size_t bytes, std::size_t most) {
  return {BadReason::kTooLarge, "",
          std::string(which) + " have " + std::to_string(bytes) + " bytes (each header counts " +
              std::to_string(kHeaderFrameBytes) +
              " more than its name and value), expected at most " + std::to_string(most)};
}

}  // namespace

HeaderBytes bytes_of(std::span<const HeaderView> headers) {
  HeaderBytes bytes;
  for (const HeaderView& header : headers) {
    std::size_t& sum = is_reserved_header(header.name) ? bytes.reserved : bytes.own;
    sum += size_of(header) + kHeaderFrameBytes;
  }
  return bytes;
}

std::optional<BadRecord> check_headers(std::span<const HeaderView> headers) {
  const HeaderBytes bytes = bytes_of(headers);
  if (bytes.own > kMaxHeadersBytes) return too_large("the headers", bytes.own, kMaxHeadersBytes);
  if (bytes.reserved > kMaxReservedHeadersBytes) {
    return too_large("the headers named penstock-*", bytes.reserved, kMaxReservedHeadersBytes);
  }
  return std::nullopt;
}

}  // namespace penstock
