#include "consumer/policy/duration.h"

#include <array>
#include <charconv>
#include <cstdint>

namespace penstock {
namespace {

struct Unit {
  std::string_view name;
  std::int64_t ms;
};

// Largest first, the order in which duration_text tries them.
constexpr std::array<Unit, 5> kUnits{
    {{"d", 86'400'000}, {"h", 3'600'000}, {"m", 60'000}, {"s", 1'000}, {"ms", 1}}};

const Unit* unit_named(std::string_view name) {
  for (const Unit& unit : kUnits) {
    if (unit.name == name) return &unit;
  }
  return nullptr;
}

tl::unexpected<Error> refusal(std::string_view text, std::string_view expected) {
  return failure("found \"" + std::string(text) + "\", expected " + std::string(expected));
}

}  // namespace

Result<Duration> parse_duration(std::string_view text) {
  std::uint64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error == std::errc::invalid_argument) return refusal(text, "a duration such as \"15s\"");
  const Unit* unit = unit_named(text.substr(static_cast<std::size_t>(end - text.data())));
  if (unit == nullptr) return refusal(text, "a duration such as \"15s\"");
  const auto most = static_cast<std::uint64_t>(kMaxDuration.count() / unit->ms);
  // After the unit, so that a number that is too large is told from a text that is no duration.
  if (error == std::errc::result_out_of_range || count > most) {
    return refusal(text, "a duration of at most " + duration_text(kMaxDuration));
  }
  return Duration{static_cast<std::int64_t>(count) * unit->ms};
}

std::string duration_text(Duration duration) {
  if (duration == Duration::zero()) return "0s";
  for (const Unit& unit : kUnits) {
    if (duration.count() % unit.ms == 0) {
      return std::to_string(duration.count() / unit.ms) + std::string(unit.name);
    }
  }
  return std::to_string(duration.count()) + "ms";
}

}  // namespace penstock
