#include "cli/remote/json_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

namespace penstock {
namespace {

using nlohmann::ordered_json;

template <typename... Values>
std::string written(const char* format, Values... values) {
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), format, values...);
  return text.data();
}

const ordered_json* member_at(const ordered_json& object, const char* name) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(name);
  return found == object.end() ? nullptr : &*found;
}

}  // namespace

std::string text_of(const ordered_json& object, const char* name) {
  const ordered_json* const member = member_at(object, name);
  if (member == nullptr || member->is_null()) return {};
  if (member->is_string()) return member->get<std::string>();
  return member->dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

std::string text_member(const ordered_json& object, const char* name) {
  const ordered_json* const member = member_at(object, name);
  return member != nullptr && member->is_string() ? member->get<std::string>() : std::string();
}

double number_member(const ordered_json& object, const char* name) {
  const ordered_json* const member = member_at(object, name);
  return member != nullptr && member->is_number() ? member->get<double>() : 0;
}

std::int64_t count_member(const ordered_json& object, const char* name) {
  const ordered_json* const member = member_at(object, name);
  return member != nullptr && member->is_number_integer() ? member->get<std::int64_t>() : 0;
}

const ordered_json& array_member(const ordered_json& object, const char* name) {
  static const ordered_json none = ordered_json::array();
  const ordered_json* const member = member_at(object, name);
  return member != nullptr && member->is_array() ? *member : none;
}

const ordered_json& object_member(const ordered_json& object, const char* name) {
  static const ordered_json none = ordered_json::object();
  const ordered_json* const member = member_at(object, name);
  return member != nullptr && member->is_object() ? *member : none;
}

std::string age_text(std::int64_t ms) {
  constexpr std::int64_t kSecond = 1000, kMinute = 60 * kSecond, kHour = 60 * kMinute,
                         kDay = 24 * kHour;
  const auto n = [](std::int64_t number) { return static_cast<long long>(number); };
  if (ms <= 0) return "-";
  if (ms < kSecond) return written("%lldms", n(ms));
  if (ms < 10 * kSecond) return written("%.1fs", static_cast<double>(ms / 100) / 10);
  if (ms < kMinute) return written("%llds", n(ms / kSecond));
  if (ms < kHour) return written("%lldm%02llds", n(ms / kMinute), n(ms % kMinute / kSecond));
  if (ms < kDay) return written("%lldh%02lldm", n(ms / kHour), n(ms % kHour / kMinute));
  return written("%lldd%02lldh", n(ms / kDay), n(ms % kDay / kHour));
}

std::string short_number(double number) {
  constexpr std::array<std::pair<double, const char*>, 3> kUnits{
      {{1e9, "G"}, {1e6, "M"}, {1e4, "k"}}};
  for (const auto& [from, unit] : kUnits) {
    if (std::abs(number) < from) continue;
    const double scaled = number / (from == 1e4 ? 1e3 : from);
    return written(scaled < 100 ? "%.1f%s" : "%.0f%s", scaled, unit);
  }
  const bool whole = number == std::floor(number);
  return written(whole || std::abs(number) >= 100 ? "%.0f" : "%.1f", number);
}

std::string bytes_text(std::int64_t bytes) {
  constexpr std::array<const char*, 5> kUnits{"KiB", "MiB", "GiB", "TiB", "PiB"};
  if (bytes < 1024) return written("%lld B", static_cast<long long>(bytes));
  double scaled = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  while (scaled >= 1024 && unit + 1 < kUnits.size()) {
    scaled /= 1024;
    ++unit;
  }
  return written(scaled < 100 ? "%.1f %s" : "%.0f %s", scaled, kUnits[unit]);
}

std::string counts_by_name(const ordered_json& counts) {
  std::vector<std::pair<double, std::string>> order;
  for (const auto& [name, count] : counts.items()) {
    if (count.is_number() && count.get<double>() > 0) order.emplace_back(count.get<double>(), name);
  }
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string text;
  for (const auto& [count, name] : order)
    text += (text.empty() ? "" : ", ") + short_number(count) + " " + name;
  return text.empty() ? "-" : text;
}

}  // namespace penstock
