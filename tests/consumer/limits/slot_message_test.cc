// Of two writings of one limit, which holds.
#include "consumer/limits/slot_message.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

using namespace std::chrono_literals;

LimitOverride with_rate(int count, Duration period) {
  return {.slots = {}, .rate = Rate{count, period}, .burst = 3};
}

TEST(Stricter, TheFewerSlotsHold) {
  const LimitOverride four{.slots = 4}, nine{.slots = 9}, none{};
  EXPECT_EQ(stricter(four, nine).slots, 4);
  EXPECT_EQ(stricter(nine, four).slots, 4);
  EXPECT_EQ(stricter(none, nine).slots, 9);
  EXPECT_EQ(stricter(nine, none).slots, 9);
}

TEST(Stricter, TheSlowerRateHoldsWithItsBurst) {
  const LimitOverride fast = with_rate(10, 1s), slow = with_rate(100, 1min);
  EXPECT_EQ(stricter(fast, slow), slow);
  EXPECT_EQ(stricter(slow, fast), slow);
}

TEST(Stricter, ARateHoldsWhereTheOtherHasNone) {
  const LimitOverride rate = with_rate(10, 1s);
  LimitOverride none;
  // A rate that was there before is none, whatever its memory still contains.
  none.rate = Rate{1, 1h};
  none.rate.reset();
  EXPECT_EQ(stricter(rate, none).rate, rate.rate);
  EXPECT_EQ(stricter(none, rate).rate, rate.rate);
}

}  // namespace
}  // namespace penstock
