// Points in time as RFC 3339 writes them ("2026-03-01T12:00:00.250+01:00"). Pure.
//
// Read strictly: the whole of date, 'T', time, and 'Z' or an offset must be there, and the date
// must exist. 'T' and 'Z' may be lower case. Policy where Time (milliseconds, no leap seconds)
// cannot say the same:
//  - a fraction may have any number of digits; what is finer than a millisecond is rounded up, so
//  that nothing
//    starts early;
//  - a leap second (second 60) is good only as 23:59:60 UTC on the last day of a month, and means
//  the same as
//    00:00:00 of the day after;
//  - the offset -00:00 means UTC.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "topics/values/types.h"

namespace penstock {

// 0000-01-01T00:00:00Z to 9999-12-31T23:59:59.999Z: what RFC 3339 can write.
inline constexpr Time kMinTime = time_from_ms(-62'167'219'200'000);
inline constexpr Time kMaxTime = time_from_ms(253'402'300'799'999);

// Nothing when the text is no such time, or one outside kMinTime to kMaxTime.
[[nodiscard]] std::optional<Time> parse_rfc3339(std::string_view text);

// In UTC with milliseconds: "2026-03-01T11:00:00.250Z".
[[nodiscard]] std::string format_rfc3339(Time time);

}  // namespace penstock
