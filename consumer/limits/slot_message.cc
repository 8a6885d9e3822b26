#include "consumer/limits/slot_message.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "topics/names.h"

namespace penstock {
namespace {

using Json = nlohmann::json;

// Reads whole numbers and texts, and remembers what was wrong.
class Members {
 public:
  explicit Members(std::string_view text) : json_(Json::parse(text, nullptr, false)) {
    if (!json_.is_object()) wrong_ = "expected a JSON object";
  }

  std::uint64_t number(const char* name, std::uint64_t most) {
    const Json* const value = find(name);
    if (value && value->is_number_unsigned() && value->get<std::uint64_t>() <= most)
      return value->get<std::uint64_t>();
    wrong_ =
        std::string("\"") + name + "\": expected a whole number of at most " + std::to_string(most);
    return 0;
  }
  int small(const char* name, int most) {
    return static_cast<int>(number(name, static_cast<std::uint64_t>(most)));
  }
  std::string text(const char* name) {
    const Json* const value = find(name);
    if (value && value->is_string()) return value->get<std::string>();
    wrong_ = std::string("\"") + name + "\": expected a text";
    return {};
  }
  LimitOverride limit(const char* name) {
    const Json* const value = find(name);
    auto read = parse_limit_override(value ? value->dump() : "");
    if (read) return *read;
    wrong_ = std::string("\"") + name + "\": " + read.error().message;
    return {};
  }
  [[nodiscard]] bool has(const char* name) const { return find(name) != nullptr; }
  [[nodiscard]] const std::string& wrong() const { return wrong_; }

 private:
  [[nodiscard]] const Json* find(const char* name) const {
    if (!json_.is_object()) return nullptr;
    const auto found = json_.find(name);
    return found == json_.end() ? nullptr : &*found;
  }

  Json json_;
  std::string wrong_;
};

constexpr std::uint64_t kMaxVersions = 1ULL << 62;
constexpr int kMaxPartitions = 1 << 20;

}  // namespace

LimitOverride stricter(const LimitOverride& a, const LimitOverride& b) {
  LimitOverride both = a;
  if (b.slots) both.slots = std::min(a.slots.value_or(*b.slots), *b.slots);
  if (!b.rate) return both;
  // Multiplied crosswise, because a division would make rates equal that are not.
  const std::int64_t ab = a.rate ? a.rate->count * b.rate->period.count() : INT64_MAX;
  const std::int64_t ba = a.rate ? b.rate->count * a.rate->period.count() : 0;
  if (ab > ba) {
    both.rate = b.rate;
    both.burst = b.burst;
  } else if (ab == ba) {
    both.burst = std::min(a.burst, b.burst);
  }
  return both;
}

std::string to_json(const SlotReport& report) {
  Json json{{"queue", report.from.queue},
            {"partition", report.from.partition},
            {"version", report.version},
            {"demand", report.demand},
            {"keeps", report.keeps}};
  if (report.said) {
    json["written"] = report.said->written;
    json["limit"] = Json::parse(to_json(report.said->limit));
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string to_json(const SlotTarget& target) {
  return Json{{"version", target.version}, {"slots", target.slots}, {"of", target.of}}.dump();
}

Result<SlotReport> parse_slot_report(std::string_view json) {
  Members members(json);
  SlotReport report;
  report.from = {members.text("queue"), members.small("partition", kMaxPartitions)};
  report.version = members.number("version", kMaxVersions);
  report.demand = members.small("demand", kMaxSlots);
  report.keeps = members.small("keeps", kMaxSlots);
  if (members.has("limit"))
    report.said = SaidLimit{members.text("written"), members.limit("limit")};
  if (!members.wrong().empty()) return failure(members.wrong());
  return report;
}

Result<SlotTarget> parse_slot_target(std::string_view json) {
  Members members(json);
  const SlotTarget target{members.number("version", kMaxVersions),
                          members.small("slots", kMaxSlots), members.small("of", kMaxSlots)};
  if (!members.wrong().empty()) return failure(members.wrong());
  return target;
}

}  // namespace penstock
