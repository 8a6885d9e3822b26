#include "consumer/handlers/protocol/answer_json.h"

#include <array>
#include <unordered_map>

#include "consumer/handlers/protocol/answer_members.h"
#include "consumer/handlers/protocol/follow_up_json.h"
#include "consumer/handlers/protocol/reason.h"
#include "consumer/policy/duration.h"
#include "consumer/policy/error_pattern.h"
#include "topics/json/json_document.h"
#include "topics/values/trimmed.h"
#include "topics/values/whole_number.h"

namespace penstock {
namespace {

constexpr std::array kOutcomes = {
    AnswerMember::kOk,        AnswerMember::kNext,   AnswerMember::kError,   AnswerMember::kRetryIn,
    AnswerMember::kErrorName, AnswerMember::kSnooze, AnswerMember::kDiscard, AnswerMember::kCancel};
constexpr const char* kExpectedOutcome =
    "expected one of ok, next, error, snooze, discard and cancel";
// Each thread keeps its buffers for answers up to this size, and frees those for larger ones.
constexpr std::size_t kKeptAnswerBytes = 64 << 10;

bool is_of_an_error(AnswerMember member) {
  return member == AnswerMember::kError || member == AnswerMember::kRetryIn ||
         member == AnswerMember::kErrorName;
}

Answer mistake(const Error& error) {
  return {RetryLater{one_line("the handler's answer is wrong: " + error.message),
                     {},
                     std::string(kBadAnswerError)},
          {}};
}

// An answer or one of its items: an object of a parsed document. Each of its strings is read only
// once.
class AnswerObject {
 public:
  AnswerObject(JsonDocument& document, JsonToken object)
      : document_(document), members_(document, object) {}

  [[nodiscard]] JsonDocument& document() const { return document_; }
  [[nodiscard]] bool has(AnswerMember member) const { return members_.has(member); }
  [[nodiscard]] std::optional<JsonToken> find(AnswerMember member) const {
    return members_.find(member);
  }
  [[nodiscard]] bool is_true(AnswerMember member) const {
    return has(member) && raw(member) == "true";
  }
  [[nodiscard]] std::string_view raw(AnswerMember member) const {
    return document_.raw(*find(member));
  }
  // Empty if it is not a string.
  [[nodiscard]] std::optional<std::string_view> string(AnswerMember member) const {
    const auto value = find(member);
    if (!value || document_.kind(*value) != '"') return std::nullopt;
    return document_.string(*value);
  }
  // The value of a string, or the text of any other value.
  [[nodiscard]] std::string_view text(AnswerMember member) const {
    const auto string = this->string(member);
    return string ? *string : raw(member);
  }
  [[nodiscard]] tl::unexpected<Error> unfit(AnswerMember member, std::string_view expected) const {
    return tl::unexpected(unfit_value(std::string(name_of(member)), raw(member), expected));
  }

 private:
  JsonDocument& document_;
  AnswerMembers members_;
};

Result<JsonToken> parse_object(JsonDocument& document, std::string_view text) {
  if (const auto fault = document.parse(text, kMaxAnswerDepth)) {
    const std::string where = fault->pointer.empty() ? "" : fault->pointer + ": ";
    return failure("no JSON: " + quoted_start(text) + " (" + where + fault->detail + ")");
  }
  if (document.kind(JsonDocument::root()) == '{') return JsonDocument::root();
  return failure("no JSON object: " + quoted_start(text));
}

// Calls `read` with the document's outermost object, or with the error in the text.
template <typename Read>
auto read_text(std::string_view text, Read read) {
  if (text.size() > kKeptAnswerBytes) {
    JsonDocument document;
    return read(document, parse_object(document, text));
  }
  thread_local JsonDocument document;
  return read(document, parse_object(document, text));
}

Result<Duration> duration_member(const AnswerObject& object, AnswerMember member) {
  const auto text = object.string(member);
  const auto duration = text ? parse_duration(*text) : Result<Duration>(failure("no string"));
  if (!duration) return object.unfit(member, "a duration such as \"30s\"");
  return *duration;
}

Result<std::string> reason_member(const AnswerObject& object, AnswerMember member) {
  const auto text = object.string(member);
  if (!text) return object.unfit(member, "a string with the reason");
  return one_line(*text);
}

// An invalid retry_in must not hide the error that it came with.
OutcomeValue read_error(const AnswerObject& object) {
  RetryLater retry{"the handler asked for a retry", std::nullopt};
  if (object.has(AnswerMember::kError)) retry.error = one_line(object.text(AnswerMember::kError));
  if (object.has(AnswerMember::kErrorName))
    retry.error_class = error_class(object.text(AnswerMember::kErrorName));
  if (object.has(AnswerMember::kRetryIn)) {
    if (const auto duration = duration_member(object, AnswerMember::kRetryIn)) {
      retry.in = *duration;
    } else {
      retry.error += " (and " + duration.error().message + ")";
    }
  }
  return retry;
}

Result<OutcomeValue> read_one(const AnswerObject& object, AnswerMember outcome) {
  if (outcome == AnswerMember::kNext) return NextIteration{std::string(object.raw(outcome))};
  if (is_of_an_error(outcome)) return read_error(object);
  if (outcome == AnswerMember::kOk) {
    if (!object.is_true(outcome)) return object.unfit(outcome, "true");
    return Done{};
  }
  if (outcome == AnswerMember::kSnooze) {
    return duration_member(object, outcome).map([](Duration in) -> OutcomeValue {
      return Snooze{in};
    });
  }
  const bool is_discard = outcome == AnswerMember::kDiscard;
  return reason_member(object, outcome).map([&](std::string reason) -> OutcomeValue {
    if (is_discard) return Discard{std::move(reason)};
    return CancelJob{std::move(reason)};
  });
}

// The outcome that the object names; empty if it names none.
Result<std::optional<OutcomeValue>> read_outcome(const AnswerObject& object) {
  std::optional<AnswerMember> named;
  for (const AnswerMember member : kOutcomes) {
    if (!object.has(member)) continue;
    // error, retry_in and error_name together are one outcome.
    if (named && is_of_an_error(*named) && is_of_an_error(member)) continue;
    if (named) {
      return failure("it has both " + std::string(name_of(*named)) + " and " +
                     std::string(name_of(member)));
    }
    named = member;
  }
  if (!named) return std::nullopt;
  return read_one(object, *named).map([](OutcomeValue outcome) {
    return std::optional(std::move(outcome));
  });
}

Result<std::vector<FollowUp>> read_enqueue(const AnswerObject& object) {
  const auto list = object.find(AnswerMember::kEnqueue);
  if (!list) return std::vector<FollowUp>();
  return read_follow_ups(object.document(), *list);
}

Result<OutcomeValue> read_item(const AnswerObject& object, const std::string& where) {
  auto outcome = read_outcome(object);
  if (!outcome) return failure(where + ": " + outcome.error().message);
  if (!*outcome)
    return failure(where +
                   " has no outcome, expected one of ok, error, snooze, discard and cancel");
  if (std::holds_alternative<NextIteration>(**outcome)) {
    return failure(where +
                   " has next, expected it outside of items: a cursor belongs to the whole batch");
  }
  return **std::move(outcome);
}

// Reads the items in the answer to a batch, in order.
class ItemReader {
 public:
  ItemReader(JsonDocument& document, std::span<const AttemptItem> items)
      : document_(document), outcomes_(items.size()) {
    for (std::size_t i = 0; i < items.size(); ++i) places_.emplace(items[i].id, i);
  }

  [[nodiscard]] Status read(JsonToken entry) {
    const std::string where = "items/" + std::to_string(read_++);
    if (document_.kind(entry) != '{') return no_id(where);
    const AnswerObject object(document_, entry);
    const auto id = object.string(AnswerMember::kId);
    if (!id) return no_id(where);
    const auto unfit = [&](std::string_view expected) {
      return tl::unexpected(unfit_value(where + "/id", object.raw(AnswerMember::kId), expected));
    };
    const auto place = places_.find(*id);
    if (place == places_.end()) return unfit("the id of one of the batch's items");
    std::optional<OutcomeValue>& outcome = outcomes_[place->second];
    // Two outcomes may contradict each other.
    if (outcome) return unfit("each item once");
    auto item = read_item(object, where);
    if (!item) return tl::unexpected(item.error());
    outcome = *std::move(item);
    return {};
  }
  [[nodiscard]] ItemOutcomes take() { return std::move(outcomes_); }

 private:
  [[nodiscard]] static Status no_id(const std::string& where) {
    return failure(where + " has no id, expected a string");
  }

  JsonDocument& document_;
  std::unordered_map<std::string_view, std::size_t> places_;
  ItemOutcomes outcomes_;
  std::size_t read_ = 0;
};

// Empty: the answer has no items.
Result<std::optional<ItemOutcomes>> read_items(const AnswerObject& object,
                                               std::span<const AttemptItem> items) {
  const auto list = object.find(AnswerMember::kItems);
  if (!list || items.empty()) return std::nullopt;
  JsonDocument& document = object.document();
  if (document.kind(*list) != '[')
    return object.unfit(AnswerMember::kItems, "an array of outcomes");
  ItemReader reader(document, items);
  Status read;
  document.each_element(*list, [&](JsonToken entry) {
    if (read) read = reader.read(entry);
  });
  if (!read) return tl::unexpected(read.error());
  return reader.take();
}

// Gives items without an outcome a retry. Returns whether any item is not retried.
bool retry_those_without(ItemOutcomes& outcomes) {
  bool any_ends = false;
  for (std::optional<OutcomeValue>& outcome : outcomes) {
    if (!outcome) {
      outcome = RetryLater{
          "the answer has items but does not name this one", {}, std::string(kBadAnswerError)};
    }
    any_ends = any_ends || !std::holds_alternative<RetryLater>(*outcome);
  }
  return any_ends;
}

Answer read_answer(const AnswerObject& object, std::optional<OutcomeValue> otherwise,
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
  if (!*outcome) return mistake({"it has no outcome, " + std::string(kExpectedOutcome)});
  Answer answer{**std::move(outcome), {}, {}};
  if (*own) answer.items = **std::move(own);
  // The jobs of an attempt that is retried would be enqueued again by the retry.
  if (!produces || std::holds_alternative<RetryLater>(answer.outcome)) return answer;
  auto enqueue = read_enqueue(object);
  if (!enqueue) return mistake(enqueue.error());
  answer.enqueue = *std::move(enqueue);
  return answer;
}

AnswerLine read_progress(const AnswerObject& object) {
  JsonDocument& document = object.document();
  const JsonToken progress = *object.find(AnswerMember::kProgress);
  std::optional<std::int64_t> n, total;
  if (document.kind(progress) == '{') {
    document.each_member(progress, [&](std::string_view name, JsonToken value) {
      if (name == "n") n = whole_number<std::int64_t>(document.raw(value));
      if (name == "total") total = whole_number<std::int64_t>(document.raw(value));
    });
  }
  if (n.value_or(-1) >= 0 && total.value_or(-1) >= 0) return ProgressLine{*n, *total};
  return mistake(
      object.unfit(AnswerMember::kProgress, "{\"n\", \"total\"}, each an integer from 0").value());
}

// A checkpoint that cannot be saved ends the attempt; otherwise the handler would think that it was
// saved.
AnswerLine read_checkpoint(const AnswerObject& object) {
  std::string cursor(object.raw(AnswerMember::kCheckpoint));
  auto enqueue = read_enqueue(object);
  if (!enqueue) return Rubbish{enqueue.error().message};
  if (cursor.size() <= kMaxCursorBytes)
    return CheckpointLine{std::move(cursor), *std::move(enqueue)};
  return Rubbish{"its checkpoint has " + std::to_string(cursor.size()) + " bytes, at most " +
                 std::to_string(kMaxCursorBytes) +
                 " can be saved: store the data elsewhere and put its key into the cursor"};
}

AnswerLine read_line(const AnswerObject& object, std::string_view line, std::string_view token,
                     std::span<const AttemptItem> items) {
  const auto named = object.string(AnswerMember::kToken);
  if (!named) return Rubbish{"no token: " + quoted_start(line)};
  // A late line of an earlier attempt, which has timed out or been killed.
  if (*named != token) return OtherToken{};
  if (object.is_true(AnswerMember::kHeartbeat)) return HeartbeatLine{};
  if (object.has(AnswerMember::kCheckpoint)) return read_checkpoint(object);
  if (object.has(AnswerMember::kProgress)) return read_progress(object);
  return read_answer(object, std::nullopt, items);
}

}  // namespace

Answer read_http_answer(std::string_view body, std::span<const AttemptItem> items) {
  const std::string_view text = trimmed(body);
  // Many endpoints answer 200 with a text such as "OK".
  if (!text.starts_with('{')) return {Done{}, {}};
  return read_text(text, [&](JsonDocument& document, const Result<JsonToken>& object) {
    if (!object) return mistake(object.error());
    return read_answer(AnswerObject(document, *object), Done{}, items);
  });
}

AnswerLine read_answer_line(std::string_view line, std::string_view token,
                            std::span<const AttemptItem> items) {
  return read_text(line,
                   [&](JsonDocument& document, const Result<JsonToken>& object) -> AnswerLine {
                     if (!object) return Rubbish{object.error().message};
                     return read_line(AnswerObject(document, *object), line, token, items);
                   });
}

}  // namespace penstock
