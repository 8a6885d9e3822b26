#include "consumer/control/control.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <nlohmann/json.hpp>

#include "topics/json/json_document.h"
#include "topics/names.h"
#include "topics/record/job_record.h"
#include "topics/values/utf8.h"

namespace penstock {
namespace {

constexpr PartitionId kMaxReplayPartitions = 1 << 20;
constexpr std::string_view kLimit = "limit/", kPause = "pause/", kFormat = "format/",
                           kReplay = "replay/", kReplayPause = "/pause", kType = "/type/",
                           kAccount = "/account/";

Result<nlohmann::json> parse_object(std::string_view text) {
  nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  const bool whole = text.find('\0') == text.npos;  // the parser would stop at a NUL
  if (!whole || !json.is_object()) return failure("expected a JSON object");
  return json;
}

std::optional<int> integer(const nlohmann::json& json, int least, int most) {
  if (!json.is_number_integer()) return std::nullopt;
  const auto value = json.get<std::int64_t>();
  if (value < least || value > most) return std::nullopt;
  return static_cast<int>(value);
}

Status read_member(LimitOverride& out, const std::string& name, const nlohmann::json& value) {
  const auto number = [&](int least, int most) -> Result<int> {
    if (const auto read = integer(value, least, most)) return *read;
    return failure("\"" + name + "\": found " + value.dump() + ", expected an integer from " +
                   std::to_string(least) + " to " + std::to_string(most));
  };
  if (name == "slots") {
    const auto slots = number(0, kMaxSlots);
    if (!slots) return failure(slots.error().message);
    out.slots = *slots;
  } else if (name == "burst") {
    const auto burst = number(1, kMaxBurst);
    if (!burst) return failure(burst.error().message);
    out.burst = *burst;
  } else if (name == "rate" && value.is_string()) {
    const auto rate = parse_rate(value.get<std::string>());
    if (!rate) return failure("\"rate\": " + rate.error().message);
    out.rate = *rate;
  } else {
    return failure(
        "\"" + name +
        "\": expected \"slots\" (an integer), \"rate\" (a text) and \"burst\" (an integer)");
  }
  return {};
}

// What the key of a replay names, or that of a partition's report or pause.
struct ReplayKey {
  ReplayTarget target;
  std::optional<PartitionId> partition;
  bool pause = false;
};

std::optional<ReplayKey> parse_replay_key(std::string_view key) {
  key.remove_prefix(kReplay.size());
  const std::size_t slash = key.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const std::string_view rest = key.substr(slash + 1);
  const std::size_t second = rest.find('/');
  ReplayKey parsed{{std::string(key.substr(0, slash)), std::string(rest.substr(0, second))}, {}};
  if (parsed.target.queue.empty() || !check_replay_name(parsed.target.name)) return std::nullopt;
  if (second == std::string_view::npos) return parsed;
  std::string_view number = rest.substr(second + 1);
  parsed.pause = number.ends_with(kReplayPause);
  if (parsed.pause) number.remove_suffix(kReplayPause.size());
  PartitionId partition = -1;
  const auto [end, error] =
      std::from_chars(number.data(), number.data() + number.size(), partition);
  if (error != std::errc{} || end != number.data() + number.size() || partition < 0 ||
      partition >= kMaxReplayPartitions)
    return std::nullopt;
  parsed.partition = partition;
  return parsed;
}

template <typename Value>
Value& of_partition(std::vector<Value>& values, std::size_t partition) {
  if (values.size() <= partition) values.resize(partition + 1);
  return values[partition];
}

}  // namespace

std::string limit_key(std::string_view name) { return std::string(kLimit).append(name); }

std::string pause_key(const PauseTarget& target) {
  std::string key = std::string(kPause) + target.queue;
  if (!target.type.empty()) return key.append(kType).append(target.type);
  if (!target.account.empty()) return key.append(kAccount).append(target.account);
  return key;
}

Result<PauseTarget> parse_pause_key(std::string_view key) {
  if (!key.starts_with(kPause)) return failure("not a pause");
  key.remove_prefix(kPause.size());
  const std::size_t slash = key.find('/');
  PauseTarget target{std::string(key.substr(0, slash)), {}, {}};
  if (target.queue.empty()) return failure("a pause must name a queue");
  if (slash == std::string_view::npos) return target;
  // As it is, because an account may contain slashes, and a queue's name has none.
  const std::string_view rest = key.substr(slash);
  if (rest.starts_with(kType) && rest.size() > kType.size()) {
    target.type = rest.substr(kType.size());
  } else if (rest.starts_with(kAccount) && rest.size() > kAccount.size()) {
    target.account = rest.substr(kAccount.size());
  } else {
    return failure("a pause applies to a queue, or to one type or account in it");
  }
  return target;
}

std::string to_json(const LimitOverride& override_) {
  nlohmann::json json = nlohmann::json::object();
  if (override_.slots) json["slots"] = *override_.slots;
  if (override_.rate) {
    json["rate"] = rate_text(*override_.rate);
    json["burst"] = override_.burst;
  }
  return json.dump();
}

std::string to_json(const Pause& pause) {
  // The operator's name may not be UTF-8; it must not make the pause fail.
  return nlohmann::json{{"since", to_ms(pause.since)}, {"by", pause.by}}.dump(
      -1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string format_key(std::string_view queue) { return std::string(kFormat).append(queue); }

std::string replay_key(const ReplayTarget& target) {
  return std::string(kReplay).append(target.queue).append("/").append(target.name);
}

std::string replay_report_key(const ReplayTarget& target, PartitionId partition) {
  return replay_key(target).append("/").append(std::to_string(partition));
}

std::string replay_pause_key(const ReplayTarget& target, PartitionId partition) {
  return replay_report_key(target, partition).append(kReplayPause);
}

bool is_replay_report_key(std::string_view key) {
  return key.starts_with(kReplay) && std::count(key.begin(), key.end(), '/') == 3;
}

std::string format_json(std::uint32_t format) { return nlohmann::json{{"format", format}}.dump(); }

Result<LimitOverride> parse_limit_override(std::string_view text, std::string* at_fault) {
  const auto json = parse_object(text);
  if (!json) return failure(json.error().message);
  LimitOverride out;
  for (const auto& [name, value] : json->items()) {
    const Status read = read_member(out, name, value);
    if (!read && at_fault != nullptr) append_to_pointer(*at_fault, name);
    if (!read) return failure(read.error().message);
  }
  if (!out.slots && !out.rate)
    return failure("expected \"slots\", or \"rate\" with \"burst\", or both");
  // After all members, whose order is not given.
  if (out.rate && !json->contains("burst")) out.burst = default_burst(*out.rate);
  return out;
}

Status check_pause_target(const PauseTarget& target) {
  if (!target.type.empty() && !target.account.empty()) {
    return failure(
        "found a type and an account, expected one of them: pause the type, or the account");
  }
  if (!target.type.empty() && !is_type_name(target.type)) {
    return failure("found the type \"" + excerpt(target.type) +
                   "\", expected 1 to 128 of A-Z a-z 0-9 . _ : -");
  }
  if (target.account.size() > kMaxAccountBytes) {
    return failure("found an account of " + std::to_string(target.account.size()) +
                   " bytes, expected 1 to " + std::to_string(kMaxAccountBytes));
  }
  return {};
}

Status check_set_limit_name(std::string_view name) {
  if (!name.empty() && name.size() <= kMaxSetLimitNameBytes) return {};
  return failure("found a limit's name of " + std::to_string(name.size()) +
                 " bytes, expected 1 to " + std::to_string(kMaxSetLimitNameBytes));
}

LimitOverride set_over(const LimitOverride& configured, const std::optional<LimitOverride>& set) {
  if (!set) return configured;
  LimitOverride in_force = configured;
  if (set->slots) in_force.slots = set->slots;
  if (set->rate) {
    in_force.rate = set->rate;
    in_force.burst = set->burst;
  }
  return in_force;
}

Status Control::apply(std::string_view key, std::optional<std::string_view> value) {
  if (key.starts_with(kLimit)) {
    const std::string name(key.substr(kLimit.size()));
    if (!value) return limits_.erase(name), Status{};
    const auto override_ = parse_limit_override(*value);
    if (!override_) return failure(std::string(key) + ": " + override_.error().message);
    limits_[name] = *override_;
    return {};
  }
  if (key.starts_with(kFormat)) {
    const std::string queue(key.substr(kFormat.size()));
    if (!value) return finished_formats_.erase(queue), Status{};
    const auto json = parse_object(*value);
    const auto format = json && json->contains("format")
                            ? integer((*json)["format"], 1, std::numeric_limits<int>::max())
                            : std::nullopt;
    if (!format) return failure(std::string(key) + ": expected {\"format\": n}, n at least 1");
    finished_formats_[queue] = static_cast<std::uint32_t>(*format);
    return {};
  }
  if (key.starts_with(kReplay)) return apply_replay(key, value);
  const auto target = parse_pause_key(key);
  if (!target)
    return failure("\"" + std::string(key) +
                   "\" is neither a limit, a pause, a replay nor a format");
  if (!value) return pauses_.erase(std::string(key)), Status{};
  const auto json = parse_object(*value);
  if (!json) return failure(std::string(key) + ": " + json.error().message);
  // The members are only shown to users: a pause without them holds nevertheless.
  Pause pause;
  if (const auto since = json->find("since"); since != json->end() && since->is_number_integer()) {
    pause.since = time_from_ms(since->get<std::int64_t>());
  }
  if (const auto by = json->find("by"); by != json->end() && by->is_string())
    pause.by = by->get<std::string>();
  pauses_[std::string(key)] = std::move(pause);
  return {};
}

const Pause* Control::pause(std::string_view key) const {
  const auto found = pauses_.find(key);
  return found == pauses_.end() ? nullptr : &found->second;
}

Status Control::apply_replay(std::string_view key, std::optional<std::string_view> value) {
  const auto parsed = parse_replay_key(key);
  if (!parsed) return failure("\"" + std::string(key) + "\" names no replay");
  if (!parsed->partition) {
    if (!value) {
      replay_reports_.erase(parsed->target);
      replay_pauses_.erase(parsed->target);
      replays_.erase(parsed->target);
      return {};
    }
    auto record = parse_replay_record(*value);
    if (!record) return failure(std::string(key) + ": " + record.error().message);
    const ReplayRecord* const known = replay(parsed->target);
    if (!known || !is_outdated(*record, *known)) replays_[parsed->target] = std::move(*record);
    return {};
  }
  const auto partition = static_cast<std::size_t>(*parsed->partition);
  if (parsed->pause) {
    std::optional<ReplayPause>& known = of_partition(replay_pauses_[parsed->target], partition);
    if (!value) return known.reset(), Status{};
    auto pause = parse_replay_pause(*value);
    if (!pause) return failure(std::string(key) + ": " + pause.error().message);
    known = *std::move(pause);
    return {};
  }
  std::optional<ReplayProgress>& known = of_partition(replay_reports_[parsed->target], partition);
  if (!value) return known.reset(), Status{};
  auto progress = parse_replay_progress(*value);
  if (!progress) return failure(std::string(key) + ": " + progress.error().message);
  if (!known || !progress->is_before(*known)) known = *progress;
  return {};
}

const ReplayRecord* Control::replay(const ReplayTarget& target) const {
  const auto found = replays_.find(target);
  return found == replays_.end() ? nullptr : &found->second;
}

const ReplayPauses& Control::replay_pauses(const ReplayTarget& target) const {
  static const ReplayPauses kNone;
  const auto found = replay_pauses_.find(target);
  return found == replay_pauses_.end() ? kNone : found->second;
}

bool Control::limits_replays(std::string_view queue) const {
  return std::any_of(replays_.begin(), replays_.end(), [&](const auto& entry) {
    return entry.first.queue == queue && entry.second.terms.concurrency;
  });
}

const Control::ReplayReports& Control::replay_reports(const ReplayTarget& target) const {
  static const ReplayReports kNone;
  const auto found = replay_reports_.find(target);
  return found == replay_reports_.end() ? kNone : found->second;
}

std::uint32_t Control::finished_format(std::string_view queue) const {
  const auto found = finished_formats_.find(queue);
  return found == finished_formats_.end() ? 0 : found->second;
}

std::optional<LimitOverride> Control::limit(std::string_view filled,
                                            std::string_view written) const {
  const auto of_written = limits_.find(written);
  // A name without placeholders is both, and must not be set over itself.
  const auto of_filled = filled == written ? limits_.end() : limits_.find(filled);
  if (of_filled == limits_.end())
    return of_written == limits_.end() ? std::nullopt : std::optional(of_written->second);
  return of_written == limits_.end() ? of_filled->second
                                     : set_over(of_written->second, of_filled->second);
}

}  // namespace penstock
