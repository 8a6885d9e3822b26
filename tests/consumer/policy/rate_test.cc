#include "consumer/policy/rate.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <vector>

namespace penstock {
namespace {

using namespace std::chrono_literals;

constexpr Time kBegin = time_from_ms(1'800'000'000'000);

// -- Texts

TEST(RateText, IsACountPerSecondMinuteOrHour) {
  EXPECT_EQ(*parse_rate("100/s"), (Rate{100, 1s}));
  EXPECT_EQ(*parse_rate("10/m"), (Rate{10, 1min}));
  EXPECT_EQ(*parse_rate("5/h"), (Rate{5, 1h}));
  for (const auto* text : {"100/s", "10/m", "5/h", "1000000/s"}) {
    EXPECT_EQ(rate_text(*parse_rate(text)), text);
  }
}

TEST(RateText, RefusesWhatIsNone) {
  for (const auto* bad : {"", "100", "/s", "100/", "100/d", "100/sec", "100 /s", "-1/s", "1.5/s",
                          "0/s", "1000001/s", "99999999999999999999/s", "1/S"}) {
    EXPECT_FALSE(parse_rate(bad)) << bad;
  }
  EXPECT_EQ(parse_rate("x").error().message,
            "found \"x\", expected a rate such as \"100/s\", \"10/m\" or \"5/h\"");
  EXPECT_EQ(parse_rate("0/s").error().message,
            "found \"0/s\", expected a rate of 1 to 1000000 (for none at all: \"slots\": 0)");
}

TEST(RateText, ABurstIsATenthOfASecondUnlessItIsGiven) {
  EXPECT_EQ(default_burst({100, 1s}), 10);
  EXPECT_EQ(default_burst({5, 1s}), 1);
  EXPECT_EQ(default_burst({10, 1min}), 1);
  EXPECT_EQ(default_burst({kMaxRateCount, 1s}), 100'000);
}

// -- By hand

TEST(Gcra, ABurstAtOnceThenEvenlySpread) {
  const Gcra gcra({10, 1s}, 3);
  RateState state;
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(gcra.earliest(state, kBegin), kBegin);
    gcra.take(state, kBegin);
  }
  EXPECT_EQ(gcra.earliest(state, kBegin), kBegin + 100ms);
  gcra.take(state, kBegin + 100ms);
  EXPECT_EQ(gcra.earliest(state, kBegin + 100ms), kBegin + 200ms);
  EXPECT_EQ(gcra.earliest(state, kBegin + 10s), kBegin + 10s);
}

TEST(Gcra, AnIdleRateSavesNoMoreThanItsBurst) {
  const Gcra gcra({10, 1s}, 2);
  RateState state;
  gcra.take(state, kBegin);
  const Time later = kBegin + 1h;
  for (int i = 0; i < 2; ++i) gcra.take(state, later);
  EXPECT_EQ(gcra.earliest(state, later), later + 100ms);
}

TEST(Gcra, AnIntervalThatIsNoWholeMillisecondIsRoundedUpOnce) {
  const Gcra gcra({3, 1s}, 1);
  EXPECT_EQ(gcra.interval_ns(), 333'333'334);
  RateState state;
  gcra.take(state, kBegin);
  EXPECT_EQ(gcra.earliest(state, kBegin), kBegin + 334ms);
}

TEST(Gcra, AClockThatWasSetBackHoldsNothingUp) {
  const Gcra gcra({5, 1h}, 2);
  RateState state;
  gcra.take(state, kBegin);
  const Time back = kBegin - 24h * 365;
  EXPECT_EQ(gcra.earliest(state, back), back);
  gcra.take(state, back);
  EXPECT_EQ(gcra.earliest(state, back), back + 12min);
}

TEST(Gcra, ALoweredBurstAndARaisedRateTakeEffectAtOnce) {
  RateState state;
  const Gcra wide({1, 1h}, 100);
  for (int i = 0; i < 100; ++i) wide.take(state, kBegin);
  const Gcra narrow({100, 1s}, 1);
  EXPECT_EQ(narrow.earliest(state, kBegin), kBegin);
  narrow.take(state, kBegin);
  EXPECT_EQ(narrow.earliest(state, kBegin), kBegin + 10ms);
}

TEST(Gcra, HoldsAtTheEdgesOfItsValues) {
  const Gcra slow(1, Gcra::kMaxPeriod, kMaxBurst);
  const Gcra fast({kMaxRateCount, 1s}, kMaxBurst);
  const Time far = time_from_ms(7'900'000'000'000);  // in the year 2220
  for (const Gcra& gcra : {slow, fast}) {
    RateState state;
    for (int i = 0; i < 3; ++i) gcra.take(state, far);
    EXPECT_EQ(gcra.earliest(state, far), far);
  }
}

// -- Against a sliding window over everything that has started

struct SlidingModel {
  std::int64_t interval_ns;
  std::int64_t burst;
  std::vector<Time> starts;

  // From every start on, at most burst + (t - start) / T in all, the one at t counted.
  [[nodiscard]] bool allows(Time at) const {
    for (std::size_t i = 0; i < starts.size(); ++i) {
      const std::int64_t since_ns = (at - starts[i]).count() * 1'000'000;
      const auto in_window = static_cast<std::int64_t>(starts.size() - i + 1);
      if (in_window > burst + since_ns / interval_ns) return false;
    }
    return true;
  }
};

RC_GTEST_PROP(Gcra, AllowsExactlyWhatASlidingWindowAllows, ()) {
  const int count = *rc::gen::inRange(1, 50);
  const Duration period{*rc::gen::inRange(1, 2'000)};
  const int burst = *rc::gen::inRange(1, 8);
  const Gcra gcra(count, period, burst);
  SlidingModel model{gcra.interval_ns(), burst, {}};
  const auto steps = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 200));
  RateState state;
  Time now = kBegin;
  for (const int step : steps) {
    now += Duration{step % 3 == 0 ? 0 : step};
    const bool allowed = model.allows(now);
    const Time earliest = gcra.earliest(state, now);
    RC_ASSERT(allowed == (earliest == now));
    RC_ASSERT(model.allows(earliest));
    RC_ASSERT(allowed || !model.allows(earliest - 1ms));
    if (!allowed) continue;
    gcra.take(state, now);
    model.starts.push_back(now);
  }
}

RC_GTEST_PROP(Gcra, NoWindowHasMoreThanTheRateAndItsBurst, ()) {
  const Rate rate{*rc::gen::inRange(1, 5'000), *rc::gen::element<Duration>(1s, 60s)};
  const int burst = *rc::gen::inRange(1, 20);
  const Gcra gcra(rate, burst);
  RateState state;
  std::vector<Time> starts;
  for (Time now = kBegin; starts.size() < 200;) {
    now = gcra.earliest(state, now);
    gcra.take(state, now);
    starts.push_back(now);
  }
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const auto window_ms = (starts.back() - starts[i]).count();
    const auto most = burst + window_ms * rate.count / rate.period.count();
    RC_ASSERT(static_cast<std::int64_t>(starts.size() - i) <= most);
  }
}

TEST(Gcra, AGreedyTakerReachesTheRate) {
  for (const auto* text : {"100/s", "3/s", "7/m", "5000/s", "333333/s"}) {
    const Rate rate = *parse_rate(text);
    const Gcra gcra(rate, default_burst(rate));
    RateState state;
    std::int64_t taken = 0;
    Time now = kBegin;
    for (; now < kBegin + 10 * rate.period && taken < 1'000'000; now += 10ms) {
      while (gcra.earliest(state, now) == now) {
        gcra.take(state, now);
        ++taken;
      }
    }
    const double wanted = static_cast<double>((now - kBegin).count()) *
                          static_cast<double>(rate.count) /
                          static_cast<double>(rate.period.count());
    EXPECT_GE(static_cast<double>(taken), 0.99 * wanted) << text;
  }
}

}  // namespace
}  // namespace penstock
