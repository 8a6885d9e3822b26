// What a record takes with it to the dead topic: key, value and headers as received, plus headers
// that give the reason (docs/job-record.md). Header names that begin with "penstock-" are reserved
// for Penstock. Such headers of the original record are dropped, so that a record that was sent
// back and goes dead again carries only one reason. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "topics/log.h"
#include "topics/record/bad_record.h"
#include "topics/values/types.h"

namespace penstock {

inline constexpr std::string_view kReservedHeaderPrefix = "penstock-";
inline constexpr std::string_view kReasonHeader = "penstock-reason";
inline constexpr std::string_view kDetailHeader = "penstock-detail";
inline constexpr std::string_view kSourceHeader = "penstock-source";
inline constexpr std::string_view kAttemptsHeader = "penstock-attempts";
inline constexpr std::string_view kDiedAtHeader = "penstock-at";
inline constexpr std::size_t kMaxDetailBytes = 1024;

[[nodiscard]] constexpr bool is_reserved_header(std::string_view name) {
  return name.starts_with(kReservedHeaderPrefix);
}

enum class DeadReason : std::uint8_t {
  kBadKey,
  kBadJson,
  kBadField,
  kTooLarge,
  kUnknownType,
  kAttemptsExhausted,
  kDiscarded,
  kCrashed,
  kConflict,
};
inline constexpr std::array kDeadReasons{
    DeadReason::kBadKey,    DeadReason::kBadJson,     DeadReason::kBadField,
    DeadReason::kTooLarge,  DeadReason::kUnknownType, DeadReason::kAttemptsExhausted,
    DeadReason::kDiscarded, DeadReason::kCrashed,     DeadReason::kConflict};

[[nodiscard]] std::string_view to_string(DeadReason reason);
[[nodiscard]] std::optional<DeadReason> dead_reason_of(std::string_view text);
// Whether such a record was a job; the others were never admitted.
[[nodiscard]] bool is_of_job(DeadReason reason);
[[nodiscard]] DeadReason dead_reason(BadReason reason);

struct DeadLetter {
  DeadReason reason;
  std::string detail;  // for a person: what was wrong, where, and what was expected
  std::string source;  // place_name() of where the record was first stored
  int attempts = 0;    // 0 for a bad record
  Time at = {};
};

// For a record that a decoder has refused.
[[nodiscard]] DeadLetter dead_letter(const BadRecord& bad, std::string source, Time at);

// The headers of the dead record. The detail is turned into one line of at most kMaxDetailBytes.
[[nodiscard]] std::vector<Header> dead_headers(std::span<const HeaderView> original,
                                               const DeadLetter& letter);

}  // namespace penstock
