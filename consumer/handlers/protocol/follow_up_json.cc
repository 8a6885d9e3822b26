#include "consumer/handlers/protocol/follow_up_json.h"

#include <optional>

#include "consumer/handlers/protocol/reason.h"

namespace penstock {
namespace {

// The members of an entry that determine where the job goes; all others form its record.
struct Entry {
  std::optional<JsonToken> type, queue, account;
  std::string record = "{";
};

Entry read_entry(JsonDocument& document, JsonToken object) {
  Entry entry;
  document.each_member(object, [&](std::string_view name, JsonToken value) {
    if (name == "queue") return void(entry.queue = value);
    if (name == "account") return void(entry.account = value);
    if (name == "type") entry.type = value;
    if (entry.record.size() > 1) entry.record += ',';
    // In the text, the name is two tokens before its value (the colon is a token too).
    entry.record.append(document.raw(value - 2)).append(1, ':').append(document.raw(value));
  });
  entry.record += '}';
  return entry;
}

// Empty if the member is absent or null, which means the job's own.
Result<std::string> place_text(JsonDocument& document, std::optional<JsonToken> value,
                               const std::string& where) {
  if (!value || document.kind(*value) == 'n') return std::string();
  std::string text;
  if (document.kind(*value) == '"') text = document.string(*value);
  if (!text.empty()) return text;
  return tl::unexpected(unfit_value(where, document.raw(*value), "a string that is not empty"));
}

Result<FollowUp> read_follow_up(JsonDocument& document, JsonToken value, std::size_t index) {
  const std::string where = "enqueue/" + std::to_string(index);
  if (document.kind(value) != '{')
    return tl::unexpected(unfit_value(where, document.raw(value), "an object"));
  Entry entry = read_entry(document, value);
  if (!entry.type || document.kind(*entry.type) != '"')
    return failure(where + " has no type, expected a string");
  auto queue = place_text(document, entry.queue, where + "/queue");
  if (!queue) return tl::unexpected(queue.error());
  auto account = place_text(document, entry.account, where + "/account");
  if (!account) return tl::unexpected(account.error());
  return FollowUp{*std::move(queue), *std::move(account), std::move(entry.record)};
}

std::vector<JsonToken> elements_of(const JsonDocument& document, JsonToken list) {
  std::vector<JsonToken> elements;
  document.each_element(list, [&](JsonToken value) { elements.push_back(value); });
  return elements;
}

}  // namespace

Error unfit_value(const std::string& where, std::string_view found, std::string_view expected) {
  return {where + " is " + one_line(found, kMaxQuotedBytes) + ", expected " +
          std::string(expected)};
}

Result<std::vector<FollowUp>> read_follow_ups(JsonDocument& document, JsonToken list) {
  if (document.kind(list) != '[')
    return tl::unexpected(unfit_value("enqueue", document.raw(list), "an array of jobs"));
  const std::vector<JsonToken> elements = elements_of(document, list);
  if (elements.size() > kMaxFollowUps) {
    return failure("enqueue has " + std::to_string(elements.size()) + " jobs, expected at most " +
                   std::to_string(kMaxFollowUps));
  }
  std::vector<FollowUp> follow_ups;
  for (const JsonToken element : elements) {
    auto follow_up = read_follow_up(document, element, follow_ups.size());
    if (!follow_up) return tl::unexpected(follow_up.error());
    follow_ups.push_back(*std::move(follow_up));
  }
  return follow_ups;
}

}  // namespace penstock
