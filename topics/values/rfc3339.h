// Points in time in RFC 3339 format ("2026-03-01T12:00:00.250+01:00"). Pure.
//
// Reading is strict: date, 'T', time, and 'Z' or an offset must all be present, and the date must
// exist. 'T' and 'Z' may be lower case. Where Time (milliseconds, no leap seconds) cannot represent
// the same:
// - A fraction may have any number of digits. Times are rounded up to a millisecond, so that
//   nothing starts early.
// - A leap second (second 60) is accepted only as 23:59:60 UTC on the last day of a month, and
//   means 00:00:00 of the next day.
// - The offset -00:00 means UTC.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "topics/values/types.h"

namespace penstock {

// 0000-01-01T00:00:00Z to 9999-12-31T23:59:59.999Z: the range of RFC 3339.
inline constexpr Time kMinTime = time_from_ms(-62'167'219'200'000);
inline constexpr Time kMaxTime = time_from_ms(253'402'300'799'999);

// Empty if the text is not such a time, or is outside kMinTime to kMaxTime.
[[nodiscard]] std::optional<Time> parse_rfc3339(std::string_view text);

// In UTC with milliseconds: "2026-03-01T11:00:00.250Z".
[[nodiscard]] std::string format_rfc3339(Time time);

}  // namespace penstock
