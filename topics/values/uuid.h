// UUID version 7 (RFC 9562 section 5.7): 48 bits of milliseconds, then chance. As text they sort by
// time. Pure: time and chance are given.
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

// "01890a5d-ac96-774b-bcce-b302099a8057". `time` is not before 1970.
[[nodiscard]] std::string uuid_v7(Time time, UuidChance chance);

}  // namespace penstock
