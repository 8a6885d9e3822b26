#include "consumer/loop/partitions/reclaim.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

using std::chrono::milliseconds;

struct Reclaiming : testing::Test {
  Reclaim reclaim;
  Instant now{std::chrono::hours(1)};

  void tenure_of(std::chrono::nanoseconds length) {
    reclaim.claimed(now);
    now += length;
    reclaim.given_up("too large", now);
  }
  // How long until it is claimed again.
  std::chrono::nanoseconds pause() const {
    auto pause = std::chrono::nanoseconds(0);
    while (!reclaim.is_due(now + pause)) pause += milliseconds(10);
    return pause;
  }
};

TEST_F(Reclaiming, ThePauseGrowsWithEachTenureThatDoesNotLastUpToItsMaximum) {
  tenure_of(milliseconds(50));
  EXPECT_EQ(pause(), Reclaim::kFirstPause);
  tenure_of(milliseconds(50));
  EXPECT_EQ(pause(), 2 * Reclaim::kFirstPause);
  for (int i = 0; i < 20; ++i) tenure_of(milliseconds(50));
  EXPECT_EQ(pause(), Reclaim::kMaxPause);
}

TEST_F(Reclaiming, ATenureThatHasLastedEndsTheRow) {
  for (int i = 0; i < 5; ++i) tenure_of(milliseconds(50));
  tenure_of(Reclaim::kSteadyAfter);
  EXPECT_EQ(pause(), Reclaim::kFirstPause);
}

TEST_F(Reclaiming, TheReasonIsNamedUntilThePartitionRunsAndInALoopUntilItLasts) {
  EXPECT_EQ(reclaim.trouble(false, now), "");
  tenure_of(milliseconds(50));
  EXPECT_EQ(reclaim.trouble(false, now), "given up and claimed again: too large");
  EXPECT_EQ(reclaim.trouble(true, now), "");
  tenure_of(milliseconds(50));
  tenure_of(milliseconds(50));
  reclaim.claimed(now);
  EXPECT_EQ(reclaim.trouble(true, now), "given up 3 times in a row and claimed again: too large");
  EXPECT_EQ(reclaim.trouble(true, now + Reclaim::kSteadyAfter), "");
}

TEST_F(Reclaiming, ADenialIsAskedAgainSoon) {
  reclaim.denied(now);
  EXPECT_EQ(pause(), Reclaim::kFirstPause);
  EXPECT_EQ(reclaim.trouble(false, now), "");
}

}  // namespace
}  // namespace penstock
