// Why a record is not a job: the reason for the dead topic, and the place and description of the
// fault. A value.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace penstock {

// The reasons for which a record by itself can be refused.
enum class BadReason : std::uint8_t { kBadKey, kBadJson, kBadField, kTooLarge };
[[nodiscard]] std::string_view to_string(BadReason reason);

struct BadRecord {
  BadReason reason;
  std::string member;  // JSON pointer to the member at fault; "" for the whole record or its key
  std::string detail;  // one line: what was wrong, where, and what was expected
};

}  // namespace penstock
