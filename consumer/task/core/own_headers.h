// The headers of records that Penstock itself produces. They are stripped on reception.
#pragma once

#include <string_view>

namespace penstock {

inline constexpr std::string_view kOriginHeader = "penstock-origin";    // of a forwarded record
inline constexpr std::string_view kCrashHeader = "penstock-crashed";    // a notice, of an id
inline constexpr std::string_view kDerivedHeader = "penstock-derived";  // longer ids allowed

}  // namespace penstock
