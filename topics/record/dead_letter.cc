#include "topics/record/dead_letter.h"

#include <utility>

#include "topics/values/check.h"
#include "topics/values/rfc3339.h"
#include "topics/values/utf8.h"

namespace penstock {

std::string_view to_string(DeadReason reason) {
  switch (reason) {
    case DeadReason::kBadKey:
      return "bad_key";
    case DeadReason::kBadJson:
      return "bad_json";
    case DeadReason::kBadField:
      return "bad_field";
    case DeadReason::kTooLarge:
      return "too_large";
    case DeadReason::kUnknownType:
      return "unknown_type";
    case DeadReason::kAttemptsExhausted:
      return "attempts_exhausted";
    case DeadReason::kDiscarded:
      return "discarded";
    case DeadReason::kCrashed:
      return "crashed";
    case DeadReason::kConflict:
      return "conflict";
  }
  PENSTOCK_CHECK(false, "a dead reason that does not exist");
}

std::optional<DeadReason> dead_reason_of(std::string_view text) {
  for (const DeadReason reason : kDeadReasons) {
    if (to_string(reason) == text) return reason;
  }
  return std::nullopt;
}

bool is_of_job(DeadReason reason) {
  switch (reason) {
    case DeadReason::kBadKey:
    case DeadReason::kBadJson:
    case DeadReason::kBadField:
    case DeadReason::kTooLarge:
      return false;
    default:
      return true;
  }
}

DeadReason dead_reason(BadReason reason) {
  switch (reason) {
    case BadReason::kBadKey:
      return DeadReason::kBadKey;
    case BadReason::kBadJson:
      return DeadReason::kBadJson;
    case BadReason::kBadField:
      return DeadReason::kBadField;
    case BadReason::kTooLarge:
      return DeadReason::kTooLarge;
  }
  PENSTOCK_CHECK(false, "a bad reason that does not exist");
}

DeadLetter dead_letter(const BadRecord& bad, std::string source, Time at) {
  const std::string where = bad.member.empty() ? "" : bad.member + ": ";
  return DeadLetter{dead_reason(bad.reason), where + bad.detail, std::move(source), 0, at};
}

std::vector<Header> dead_headers(std::span<const HeaderView> original, const DeadLetter& letter) {
  std::vector<Header> headers;
  headers.reserve(original.size() + 5);
  for (const HeaderView& header : original) {
    if (is_reserved_header(header.name)) continue;
    headers.push_back(copy_of(header));
  }
  headers.push_back({std::string(kReasonHeader), std::string(to_string(letter.reason))});
  headers.push_back({std::string(kDetailHeader), excerpt(letter.detail, kMaxDetailBytes)});
  headers.push_back({std::string(kSourceHeader), letter.source});
  headers.push_back({std::string(kAttemptsHeader), std::to_string(letter.attempts)});
  headers.push_back({std::string(kDiedAtHeader), format_rfc3339(letter.at)});
  return headers;
}

}  // namespace penstock
