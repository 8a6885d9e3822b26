#include "consumer/handler.h"

#include <cinttypes>
#include <cstdio>

namespace penstock {
namespace {

constexpr std::size_t kTokenChars = 8 + 1 + 16 + 1 + 16;

}  // namespace

std::string Token::text() const {
  char text[kTokenChars + 1];
  std::snprintf(text, sizeof text, "%08" PRIx32 "-%016" PRIx64 "-%016" PRIx64, generation,
                static_cast<std::uint64_t>(epoch), number);
  return {text, kTokenChars};
}

}  // namespace penstock
