// What happened to a job, as one record of the events topic: key = account, value = one JSON object
// (docs/job-record.md). Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "topics/values/types.h"

namespace penstock {

inline constexpr std::size_t kMaxEventReasonBytes = 1024;

enum class EventKind : std::uint8_t {
  kAdmitted,
  kStarted,
  kIterated,
  kRetrying,
  kSnoozed,
  kSucceeded,
  kDead,
  kCancelled,
  kDuplicate,
  kExpired,
};
[[nodiscard]] std::string_view to_string(EventKind kind);
// Whether the job has ended: kSucceeded and the kinds after it, which are those that "events":
// "terminal" reports.
[[nodiscard]] bool is_terminal(EventKind kind);

// The members are views into data of the caller.
struct EventRecord {
  EventKind event;
  std::string_view queue = {};
  std::string_view id = {};
  std::string_view type = {};
  std::string_view account = {};
  int attempt = 0;              // 0: no attempt has started
  std::string_view token = {};  // empty before the first attempt
  Time at = {};
  std::string_view instance = {};
  std::string_view reason = {};  // empty: no reason, and the member is omitted
};

// Every event has `attempt` and `token` (0 and "" before the first attempt). In a reason, bytes
// that are not UTF-8 become '?', and the text is cut at kMaxEventReasonBytes.
[[nodiscard]] std::string to_json(const EventRecord& event);

}  // namespace penstock
