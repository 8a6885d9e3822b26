#include "consumer/handlers/answer_json.h"

#include <array>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "consumer/duration.h"
#include "consumer/error_pattern.h"
#include "consumer/handlers/reason.h"
#include "topics/trimmed.h"

namespace penstock {
namespace {

using nlohmann::json;

constexpr std::array kOutcomes = {"ok",         "next",   "error",   "retry_in",
                                  "error_name", "snooze", "discard", "cancel"};
constexpr const char* kExpectedOutcome =
    "expected one of ok, next, error, snooze, discard and cancel";

bool is_of_an_error(std::string_view name) {
  return name == "error" || name == "retry_in" || name == "error_name";
}

std::string text_of(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

tl::unexpected<Error> unfit(const char* member, const json& found, const char* expected) {
  return failure(std::string(member) + " is " + one_line(text_of(found), kMaxQuotedBytes) +
                 ", expected " + expected);
}

// Whether brackets nest deeper than we follow: nlohmann writes values by recursion.
bool is_too_deep(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      if (++depth > kMaxAnswerDepth) return true;
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
  return false;
}

Result<json> parse_object(std::string_view text) {
  if (is_too_deep(text)) {
    return failure("nested deeper than " + std::to_string(kMaxAnswerDepth) + ": " +
                   quoted_start(text));
  }
  try {
    json object = json::parse(text);
    if (object.is_object()) return object;
    return failure("no JSON object: " + quoted_start(text));
  } catch (const json::exception&) {
    return failure("no JSON: " + quoted_start(text));
  }
}

const json* member(const json& object, const char* name) {
  const auto found = object.find(name);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

Result<Duration> duration_member(const char* name, const json& value) {
  if (!value.is_string()) return unfit(name, value, "a duration such as \"30s\"");
  auto duration = parse_duration(value.get_ref<const std::string&>());
  if (!duration) return unfit(name, value, "a duration such as \"30s\"");
  return *duration;
}

Result<std::string> reason_member(const char* name, const json& value) {
  if (!value.is_string()) return unfit(name, value, "a string that says why");
  return one_line(value.get_ref<const std::string&>());
}

// A wrong retry_in does not hide the error that it came with.
OutcomeValue read_error(const json& object) {
  const json* error = member(object, "error");
  RetryLater retry{"the handler asked for a retry", std::nullopt};
  if (error != nullptr) {
    retry.error = one_line(error->is_string() ? error->get<std::string>() : text_of(*error));
  }
  if (const json* name = member(object, "error_name")) {
    retry.error_class = error_class(name->is_string() ? name->get<std::string>() : text_of(*name));
  }
  if (const json* in = member(object, "retry_in")) {
    if (const auto duration = duration_member("retry_in", *in)) {
      retry.in = *duration;
    } else {
      retry.error += " (and " + duration.error().message + ")";
    }
  }
  return retry;
}

Result<OutcomeValue> read_one(const char* name, const json& object, const json& value) {
  const std::string_view outcome = name;
  if (outcome == "next") return NextIteration{text_of(value)};
  if (is_of_an_error(outcome)) return read_error(object);
  if (outcome == "ok") {
    if (value != json(true)) return unfit("ok", value, "true");
    return Done{};
  }
  if (outcome == "snooze") {
    return duration_member(name, value).map([](Duration in) -> OutcomeValue { return Snooze{in}; });
  }
  const bool is_discard = outcome == "discard";
  return reason_member(name, value).map([&](std::string reason) -> OutcomeValue {
    if (is_discard) return Discard{std::move(reason)};
    return CancelJob{std::move(reason)};
  });
}

// The outcome that the object names, nullopt when it names none.
Result<std::optional<OutcomeValue>> read_outcome(const json& object) {
  const char* named = nullptr;
  for (const char* name : kOutcomes) {
    if (member(object, name) == nullptr) continue;
    if (named != nullptr && is_of_an_error(named) && is_of_an_error(name)) continue;
    if (named != nullptr)
      return failure(std::string("both ") + named + " and " + name + " stand in it");
    named = name;
  }
  if (named == nullptr) return std::nullopt;
  return read_one(named, object, *member(object, named)).map([](OutcomeValue outcome) {
    return std::optional(std::move(outcome));
  });
}

Result<std::string> take_string(json& entry, const char* name, const std::string& where) {
  std::string text;
  if (const json* value = member(entry, name)) {
    if (!value->is_string()) return unfit((where + "/" + name).c_str(), *value, "a string");
    text = value->get<std::string>();
  }
  entry.erase(name);
  return text;
}

Result<FollowUp> read_follow_up(json entry, std::size_t index) {
  const std::string where = "enqueue/" + std::to_string(index);
  if (!entry.is_object()) return unfit(where.c_str(), entry, "an object");
  const json* type = member(entry, "type");
  if (type == nullptr || !type->is_string())
    return failure(where + " has no type, expected a string");
  auto queue = take_string(entry, "queue", where);
  if (!queue) return tl::unexpected(queue.error());
  auto account = take_string(entry, "account", where);
  if (!account) return tl::unexpected(account.error());
  return FollowUp{*std::move(queue), *std::move(account), text_of(entry)};
}

Result<std::vector<FollowUp>> read_enqueue(const json& object) {
  std::vector<FollowUp> follow_ups;
  const json* list = member(object, "enqueue");
  if (list == nullptr) return follow_ups;
  if (!list->is_array()) return unfit("enqueue", *list, "an array of jobs");
  if (list->size() > kMaxFollowUps) {
    return failure("enqueue has " + std::to_string(list->size()) + " jobs, expected at most " +
                   std::to_string(kMaxFollowUps));
  }
  for (const json& entry : *list) {
    auto follow_up = read_follow_up(entry, follow_ups.size());
    if (!follow_up) return tl::unexpected(follow_up.error());
    follow_ups.push_back(*std::move(follow_up));
  }
  return follow_ups;
}

Answer mistake(const Error& error) {
  return {RetryLater{one_line("the handler's answer is wrong: " + error.message),
                     {},
                     std::string(kBadAnswerError)},
          {}};
}

Result<OutcomeValue> read_item(const json& entry, const std::string& where) {
  auto outcome = read_outcome(entry);
  if (!outcome) return failure(where + ": " + outcome.error().message);
  if (!*outcome)
    return failure(where +
                   " names no outcome, expected one of ok, error, snooze, discard and cancel");
  if (std::holds_alternative<NextIteration>(**outcome)) {
    return failure(where + " has next, expected it beside items: a cursor is the whole batch's");
  }
  return **std::move(outcome);
}

// Absent: there are none in the answer.
Result<std::optional<ItemOutcomes>> read_items(const json& object,
                                               std::span<const AttemptItem> items) {
  const json* list = member(object, "items");
  if (list == nullptr || items.empty()) return std::nullopt;
  if (!list->is_array()) return unfit("items", *list, "an array of outcomes");
  std::unordered_map<std::string_view, std::size_t> places;
  for (std::size_t i = 0; i < items.size(); ++i) places.emplace(items[i].id, i);
  ItemOutcomes outcomes(items.size());
  for (std::size_t i = 0; i < list->size(); ++i) {
    const std::string where = "items/" + std::to_string(i);
    const json& entry = (*list)[i];
    const json* id = entry.is_object() ? member(entry, "id") : nullptr;
    if (id == nullptr || !id->is_string()) return failure(where + " has no id, expected a string");
    const auto place = places.find(id->get_ref<const std::string&>());
    if (place == places.end())
      return unfit((where + "/id").c_str(), *id, "the id of one of the batch's items");
    std::optional<OutcomeValue>& outcome = outcomes[place->second];
    if (outcome) return unfit((where + "/id").c_str(), *id, "each item once");
    auto read = read_item(entry, where);
    if (!read) return tl::unexpected(read.error());
    outcome = *std::move(read);
  }
  return outcomes;
}

// Whether any of them is not to be retried.
bool retry_those_without(ItemOutcomes& outcomes) {
  bool any_ends = false;
  for (std::optional<OutcomeValue>& outcome : outcomes) {
    if (!outcome) {
      outcome = RetryLater{
          "the answer has items, and does not name this one", {}, std::string(kBadAnswerError)};
    }
    any_ends = any_ends || !std::holds_alternative<RetryLater>(*outcome);
  }
  return any_ends;
}

Answer read_answer(const json& object, std::optional<OutcomeValue> otherwise,
                   std::span<const AttemptItem> items) {
  auto outcome = read_outcome(object);
  if (!outcome) return mistake(outcome.error());
  auto own = read_items(object, items);
  if (!own) return mistake(own.error());
  bool produces = true;
  if (!*outcome && *own) {
    produces = retry_those_without(**own);
    *outcome = Done{};
  }
  if (!*outcome) *outcome = std::move(otherwise);
  if (!*outcome) return mistake({"it names no outcome, " + std::string(kExpectedOutcome)});
  Answer answer{**std::move(outcome), {}, {}};
  if (*own) answer.items = **std::move(own);
  if (!produces || std::holds_alternative<RetryLater>(answer.outcome)) return answer;
  auto enqueue = read_enqueue(object);
  if (!enqueue) return mistake(enqueue.error());
  answer.enqueue = *std::move(enqueue);
  return answer;
}

AnswerLine read_progress(const json& progress) {
  const auto number = [&](const char* name) {
    const json* value = progress.is_object() ? member(progress, name) : nullptr;
    const bool fits = value != nullptr && value->is_number_integer() &&
                      (!value->is_number_unsigned() ||
                       value->get<std::uint64_t>() <= static_cast<std::uint64_t>(INT64_MAX));
    return fits ? value->get<std::int64_t>() : -1;
  };
  const std::int64_t n = number("n"), total = number("total");
  if (n >= 0 && total >= 0) return ProgressLine{n, total};
  return mistake(unfit("progress", progress, "{\"n\", \"total\"}, each an integer from 0").value());
}

// One that cannot be kept ends the attempt: a handler that took it for saved would lose its place.
AnswerLine read_checkpoint(const json& object, const json& cursor) {
  std::string text = text_of(cursor);
  auto enqueue = read_enqueue(object);
  if (!enqueue) return Rubbish{enqueue.error().message};
  if (text.size() <= kMaxCursorBytes) return CheckpointLine{std::move(text), *std::move(enqueue)};
  return Rubbish{"its checkpoint has " + std::to_string(text.size()) + " bytes, at most " +
                 std::to_string(kMaxCursorBytes) +
                 " are kept: keep what it names in a store of your own and its key in the cursor"};
}

}  // namespace

Answer read_http_answer(std::string_view body, std::span<const AttemptItem> items) {
  const std::string_view text = trimmed(body);
  if (!text.starts_with('{')) return {Done{}, {}};
  const auto object = parse_object(text);
  if (!object) return mistake(object.error());
  return read_answer(*object, Done{}, items);
}

AnswerLine read_answer_line(std::string_view line, std::string_view token,
                            std::span<const AttemptItem> items) {
  const auto object = parse_object(line);
  if (!object) return Rubbish{object.error().message};
  const json* named = member(*object, "token");
  if (named == nullptr || !named->is_string()) return Rubbish{"no token: " + quoted_start(line)};
  if (named->get_ref<const std::string&>() != token) return OtherToken{};
  if (const json* beat = member(*object, "heartbeat"); beat != nullptr && *beat == json(true)) {
    return HeartbeatLine{};
  }
  if (const json* cursor = member(*object, "checkpoint")) return read_checkpoint(*object, *cursor);
  if (const json* progress = member(*object, "progress")) return read_progress(*progress);
  return read_answer(*object, std::nullopt, items);
}

}  // namespace penstock
