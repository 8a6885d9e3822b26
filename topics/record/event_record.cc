#include "topics/record/event_record.h"

#include <algorithm>
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

namespace {

// Whether the text is a JSON string as it is, between quotes.
bool is_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 && byte < 0x80 && c != '"' && c != '\\';
  });
}

void put_text(std::string& out, std::string_view text) {
  if (is_plain(text)) {
    out.append(1, '"').append(text).append(1, '"');
    return;
  }
  out += nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void put_member(std::string& out, std::string_view name, std::string_view text) {
  out.append(out.empty() ? "{\"" : ",\"").append(name).append("\":");
  put_text(out, text);
}

}  // namespace

// Built by hand, because quick jobs have up to three events each, and a JSON object allocates each
// name and each text (docs/decisions/cost-of-events.md).
std::string to_json(const EventRecord& event) {
  std::string out;
  out.reserve(200 + event.queue.size() + event.id.size() + event.type.size() +
              event.account.size() + event.token.size() + event.instance.size() +
              std::min(event.reason.size(), kMaxEventReasonBytes));
  put_member(out, "event", to_string(event.event));
  put_member(out, "queue", event.queue);
  put_member(out, "id", event.id);
  put_member(out, "type", event.type);
  put_member(out, "account", event.account);
  out.append(",\"attempt\":").append(std::to_string(event.attempt));
  put_member(out, "token", event.token);
  put_member(out, "at", format_rfc3339(event.at));
  put_member(out, "instance", event.instance);
  if (!event.reason.empty()) put_member(out, "reason", excerpt(event.reason, kMaxEventReasonBytes));
  return out.append(1, '}');
}

}  // namespace penstock
