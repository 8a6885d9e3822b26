#include "topics/record/event_record.h"

#include <nlohmann/json.hpp>

#include "topics/values/check.h"
#include "topics/values/rfc3339.h"
#include "topics/values/utf8.h"

namespace penstock {

std::string_view to_string(EventKind kind) {
  switch (kind) {
    case EventKind::kAdmitted:
      return "admitted";
    case EventKind::kStarted:
      return "started";
    case EventKind::kIterated:
      return "iterated";
    case EventKind::kRetrying:
      return "retrying";
    case EventKind::kSnoozed:
      return "snoozed";
    case EventKind::kSucceeded:
      return "succeeded";
    case EventKind::kDead:
      return "dead";
    case EventKind::kCancelled:
      return "cancelled";
    case EventKind::kDuplicate:
      return "duplicate";
    case EventKind::kExpired:
      return "expired";
  }
  PENSTOCK_CHECK(false, "an event that does not exist");
}

bool is_terminal(EventKind kind) { return kind >= EventKind::kSucceeded; }

std::string to_json(const EventRecord& event) {
  nlohmann::ordered_json json = {{"event", to_string(event.event)},
                                 {"queue", event.queue},
                                 {"id", event.id},
                                 {"type", event.type},
                                 {"account", event.account},
                                 {"attempt", event.attempt},
                                 {"token", event.token},
                                 {"at", format_rfc3339(event.at)},
                                 {"instance", event.instance}};
  if (!event.reason.empty()) json["reason"] = excerpt(event.reason, kMaxEventReasonBytes);
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace penstock
