// What happened to a job, as the events topic tells it (SPEC section 3): key = account, one JSON
// object.
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
// Whether the job has ended: the kinds from kSucceeded on, which are what "events": "terminal"
// tells.
[[nodiscard]] bool is_terminal(EventKind kind);

// Views into what the caller holds.
struct EventRecord {
  EventKind event;
  std::string_view queue = {};
  std::string_view id = {};
  std::string_view type = {};
  std::string_view account = {};
  int attempt = 0;              // 0: none has started
  std::string_view token = {};  // empty before the first attempt
  Time at = {};
  std::string_view instance = {};
  std::string_view reason = {};  // empty: there is none, and no such member
};

// `attempt` and `token` stand in every event (0 and "" before the first attempt). What is not UTF-8
// in a reason becomes '?', and a reason is cut at kMaxEventReasonBytes.
[[nodiscard]] std::string to_json(const EventRecord& event);

}  // namespace penstock
