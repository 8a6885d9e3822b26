#include "consumer/handlers/protocol/answer_members.h"

#include <algorithm>

namespace penstock {
namespace {

constexpr std::array<std::string_view, kAnswerMembers> kAnswerNames = {
    "ok",      "next",  "error", "retry_in",  "error_name", "snooze",   "discard", "cancel",
    "enqueue", "items", "token", "heartbeat", "checkpoint", "progress", "id"};

}  // namespace

std::string_view name_of(AnswerMember member) {
  return kAnswerNames[static_cast<std::size_t>(member)];
}

AnswerMembers::AnswerMembers(JsonDocument& document, JsonToken object) {
  document.each_member(object, [&](std::string_view name, JsonToken value) {
    const auto* const found = std::find(kAnswerNames.begin(), kAnswerNames.end(), name);
    // Unknown members are ignored, and null counts as absent.
    if (found == kAnswerNames.end() || document.kind(value) == 'n') return;
    tokens_[static_cast<std::size_t>(found - kAnswerNames.begin())] = value;
  });
}

}  // namespace penstock
