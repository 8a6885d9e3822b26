// Durations as written by users: a whole number and one unit, "250ms", "30s", "5m", "12h", "7d".
// Pure; may be used from any thread.
#pragma once

#include <string>
#include <string_view>

#include "topics/values/result.h"
#include "topics/values/types.h"

namespace penstock {

inline constexpr Duration kMaxDuration = std::chrono::hours{24 * 36'500};  // a hundred years

// The message reads: found "15", expected a duration such as "15s".
[[nodiscard]] Result<Duration> parse_duration(std::string_view text);

// In the largest unit that divides the duration: 90s is "90s", 120s is "2m", zero is "0s".
[[nodiscard]] std::string duration_text(Duration duration);

}  // namespace penstock
