#include "consumer/config/config_flow.h"

#include <algorithm>
#include <array>

namespace penstock {
namespace {

constexpr ChoiceTable<UniqueScope, 5> kScopes{
    {{"queued", UniqueScope::kQueued},
     {"running", UniqueScope::kRunning},
     {"queued_and_running", UniqueScope::kQueuedAndRunning},
     {"until_done", UniqueScope::kUntilDone},
     {"ttl", UniqueScope::kTtl}}};
constexpr ChoiceTable<OnConflict, 5> kConflicts{{{"drop", OnConflict::kDrop},
                                                 {"replace", OnConflict::kReplace},
                                                 {"debounce", OnConflict::kDebounce},
                                                 {"keep_latest", OnConflict::kKeepLatest},
                                                 {"dead", OnConflict::kDead}}};
constexpr ChoiceTable<Collect, 2> kCollects{{{"fifo", Collect::kFifo}, {"set", Collect::kSet}}};
constexpr ChoiceTable<OnBatchError, 2> kBatchErrors{
    {{"retry", OnBatchError::kRetry}, {"split", OnBatchError::kSplit}}};

std::vector<JsonPointer> read_pointers(const ConfigValue& value) {
  std::vector<JsonPointer> pointers;
  for (const ConfigValue& element : value.array("JSON pointers", {0, kMaxUniquePointers})) {
    std::string text;
    // An empty text is a pointer, too: to all arguments.
    element.read_any_text(text);
    auto pointer = parse_json_pointer(text);
    if (!pointer) {
      element.refuse_plainly(pointer.error().message);
    } else if (std::find(pointers.begin(), pointers.end(), *pointer) != pointers.end()) {
      element.refuse("each pointer once");
    } else {
      pointers.push_back(*std::move(pointer));
    }
  }
  return pointers;
}

void check_scope(const ConfigValue& whole, const ConfigObject& object, const UniquePolicy& unique) {
  const bool is_ttl = unique.scope == UniqueScope::kTtl;
  const ConfigValue* ttl = object.find("ttl");
  if (is_ttl && ttl == nullptr) {
    whole.refuse_plainly(
        "found \"scope\": \"ttl\" without \"ttl\", expected a duration in \"ttl\"");
  } else if (!is_ttl && ttl != nullptr) {
    ttl->refuse_plainly("found it with another scope, expected it only with \"scope\": \"ttl\"");
  }
  const ConfigValue* conflict = object.find("on_conflict");
  if (unique.scope == UniqueScope::kRunning && conflict != nullptr) {
    conflict->refuse_plainly(
        "found it with \"scope\": \"running\", expected it only with the other scopes: under "
        "\"running\", the later job waits");
  }
}

Status read_name(const ConfigValue& value, LimitName& out) {
  std::string text;
  value.read(text);
  auto name = parse_limit_name(text);
  if (!name) return tl::unexpected(name.error());
  out = *std::move(name);
  return {};
}

void read_rate(const ConfigValue& value, LimitPolicy& limit) {
  std::string text;
  value.read(text);
  const auto rate = parse_rate(text);
  if (!rate) return value.refuse_plainly(rate.error().message);
  limit.rate = *rate;
  limit.burst = default_burst(*rate);
}

LimitPolicy read_limit(const ConfigValue& value) {
  LimitPolicy limit;
  const ConfigObject object = value.object({.known = {"name", "slots", "rate", "burst"}});
  const ConfigValue* name = object.find("name");
  const ConfigValue* slots = object.find("slots");
  const ConfigValue* rate = object.find("rate");
  const ConfigValue* burst = object.find("burst");
  if (name == nullptr) {
    value.refuse_plainly("found no \"name\", expected one");
  } else if (const Status good = read_name(*name, limit.name); !good) {
    name->refuse_plainly(good.error().message);
  }
  if (slots == nullptr && rate == nullptr) {
    value.refuse_plainly("found neither \"slots\" nor \"rate\", expected one of them or both");
  }
  if (slots != nullptr) slots->read(limit.slots.emplace(), Range<int>{0, kMaxSlots});
  if (rate != nullptr) read_rate(*rate, limit);
  if (burst != nullptr && rate == nullptr) {
    burst->refuse_plainly("found it without \"rate\", expected it only with \"rate\"");
  }
  // After the rate, whose default it replaces.
  if (burst != nullptr) burst->read(limit.burst, Range<int>{1, kMaxBurst});
  return limit;
}

bool has_name(const std::vector<LimitPolicy>& limits, const LimitName& name) {
  return std::any_of(limits.begin(), limits.end(),
                     [&name](const LimitPolicy& limit) { return limit.name == name; });
}

}  // namespace

void LimitAgreement::see(const LimitPolicy& limit, const ConfigValue& value) {
  const auto [first, is_new] = first_.try_emplace(limit.name.text, limit, value.pointer());
  // Jobs of both types would count under one limit, whose values must not depend on which came
  // first.
  if (is_new || first->second.first == limit) return;
  value.refuse_plainly("found other values for the limit \"" + limit.name.text + "\" than " +
                       first->second.second + " has, expected the same wherever the name occurs");
}

UniquePolicy read_unique(const ConfigValue& value) {
  UniquePolicy unique;
  const ConfigObject object = value.object({.known = {"by", "scope", "on_conflict", "ttl"}});
  if (const ConfigValue* by = object.find("by")) unique.by = read_pointers(*by);
  object.read_choice("scope", unique.scope, kScopes);
  object.read_choice("on_conflict", unique.on_conflict, kConflicts);
  object.read("ttl", unique.ttl, Zero::kRefused);
  check_scope(value, object, unique);
  return unique;
}

std::vector<LimitPolicy> read_limits(const ConfigValue& value, LimitAgreement& agreement) {
  std::vector<LimitPolicy> limits;
  for (const ConfigValue& element : value.array("limits", {0, kMaxLimitsOfType})) {
    LimitPolicy limit = read_limit(element);
    if (has_name(limits, limit.name)) {
      element.refuse_plainly("found the limit \"" + limit.name.text +
                             "\" a second time, expected it once");
    }
    agreement.see(limit, element);
    limits.push_back(std::move(limit));
  }
  return limits;
}

BatchPolicy read_batch(const ConfigValue& value) {
  BatchPolicy batch;
  const ConfigObject object =
      value.object({.known = {"max", "collect", "delay", "target", "on_error"}});
  object.read("max", batch.max, Range<int>{1, kMaxBatch});
  object.read_choice("collect", batch.collect, kCollects);
  object.read("delay", batch.delay, Zero::kAllowed);
  const ConfigValue* target = object.find("target");
  if (target != nullptr && !target->is_null()) target->read(batch.target.emplace(), Zero::kRefused);
  object.read_choice("on_error", batch.on_error, kBatchErrors);
  return batch;
}

}  // namespace penstock
