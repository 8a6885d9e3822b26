// The headers of records that Penstock itself produces. They are stripped on reception.
#pragma once

#include <string_view>

namespace penstock {

inline constexpr std::string_view kOriginHeader = "penstock-origin";  // of a forwarded record
inline constexpr std::string_view kCrashHeader = "penstock-crashed";  // a notice, of an id
inline constexpr std::string_view kSlotsHeader = "penstock-slots";    // from a shared limit's owner
// Of a copy: what its handler is told, and the queue of its replay if that is another one.
inline constexpr std::string_view kReplayHeader = "penstock-replay";
inline constexpr std::string_view kReplayQueueHeader = "penstock-replay-queue";
// Of a copy for another partition of the queue: when its replay was started, in milliseconds.
inline constexpr std::string_view kReplayStartedHeader = "penstock-replay-started";
inline constexpr std::string_view kDerivedHeader = "penstock-derived";  // longer ids allowed

}  // namespace penstock
