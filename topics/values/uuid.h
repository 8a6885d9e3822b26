// UUID version 7 (RFC 9562 section 5.7): 48 bits of milliseconds, then random bits, so that the
// texts sort by time. Pure: time and randomness are arguments.
#pragma once

#include <cstdint>
#include <string>

#include "topics/values/types.h"

namespace penstock {

inline constexpr std::size_t kUuidBytes = 36;

struct UuidChance {
  std::uint64_t high;  // 12 bits of it are used
  std::uint64_t low;   // 62 bits of it are used
};

// Such as "01890a5d-ac96-774b-bcce-b302099a8057". `time` must not be before 1970.
[[nodiscard]] std::string uuid_v7(Time time, UuidChance chance);

}  // namespace penstock
