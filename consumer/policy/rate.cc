#include "consumer/policy/rate.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "topics/values/check.h"

namespace penstock {
namespace {

constexpr std::int64_t kMillisecondNs = 1'000'000;
// Ten years: a longer head start makes no difference, and sums with it stay within 64 bits until
// 2250.
constexpr std::int64_t kMaxTolerance = 3'650LL * 86'400 * 1'000 * kMillisecondNs;

struct RateUnit {
  char letter;
  Duration period;
};
constexpr std::array<RateUnit, 3> kRateUnits{
    {{'s', Duration{1'000}}, {'m', Duration{60'000}}, {'h', Duration{3'600'000}}}};

constexpr std::int64_t divide_up(std::int64_t value, std::int64_t by) {
  return (value + by - 1) / by;
}

std::int64_t ns(Time time) { return to_ms(time) * kMillisecondNs; }

}  // namespace

Result<Rate> parse_rate(std::string_view text) {
  Rate rate{.count = 0};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), rate.count);
  const std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  const auto* known =
      std::find_if(kRateUnits.begin(), kRateUnits.end(), [unit](const RateUnit& candidate) {
        return unit.size() == 2 && unit[0] == '/' && unit[1] == candidate.letter;
      });
  const std::string found = "found \"" + std::string(text) + "\", expected ";
  if (known == kRateUnits.end() || error == std::errc::invalid_argument) {
    return failure(found + "a rate such as \"100/s\", \"10/m\" or \"5/h\"");
  }
  if (error != std::errc{} || rate.count < 1 || rate.count > kMaxRateCount) {
    return failure(found + "a rate of 1 to " + std::to_string(kMaxRateCount) +
                   " (for none at all: \"slots\": 0)");
  }
  rate.period = known->period;
  return rate;
}

std::string rate_text(const Rate& rate) {
  for (const RateUnit& unit : kRateUnits) {
    if (unit.period == rate.period) return std::to_string(rate.count) + '/' + unit.letter;
  }
  return std::to_string(rate.count) + " in " + std::to_string(rate.period.count()) + "ms";
}

int default_burst(const Rate& rate) {
  return static_cast<int>(divide_up(std::int64_t{rate.count} * 100, rate.period.count()));
}

Gcra::Gcra(int count, Duration period, int burst) {
  PENSTOCK_CHECK(count >= 1 && count <= kMaxRateCount, "the count of a rate is in its range");
  PENSTOCK_CHECK(period >= Duration{1} && period <= kMaxPeriod, "so is its period");
  PENSTOCK_CHECK(burst >= 1 && burst <= kMaxBurst, "so is its burst");
  // Rounded up, so that the rate is never exceeded.
  interval_ns_ = divide_up(period.count() * kMillisecondNs, count);
  tolerance_ns_ =
      // Divided first, because the product might not fit.
      burst - 1 > kMaxTolerance / interval_ns_ ? kMaxTolerance : (burst - 1) * interval_ns_;
}

std::int64_t Gcra::next_ns(const RateState& state, std::int64_t now_ns) const {
  const std::int64_t full = now_ns + tolerance_ns_;
  // No start under this rate leads further ahead: the state is of another rate or burst, or the
  // clock was set back.
  return state.next_ns > full + interval_ns_ ? full : state.next_ns;
}

Time Gcra::earliest(const RateState& state, Time now) const {
  const std::int64_t allowed = next_ns(state, ns(now)) - tolerance_ns_;
  // Rounded up, so that no start is early.
  return allowed <= ns(now) ? now : time_from_ms(divide_up(allowed, kMillisecondNs));
}

void Gcra::take(RateState& state, Time now) const {
  PENSTOCK_CHECK(earliest(state, now) == now, "a start waits until its rate allows it");
  state.next_ns = std::max(next_ns(state, ns(now)), ns(now)) + interval_ns_;
}

}  // namespace penstock
