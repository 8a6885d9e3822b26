#include "consumer/handlers/exec/respawn_pause.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

using std::chrono::milliseconds;

constexpr bool kExcused = true;
constexpr RespawnPause::Clock::time_point kFirstStart{std::chrono::hours(1)};

// How long the pause is after a process that started at kFirstStart and ended at once.
milliseconds after_early_death(RespawnPause& pause) {
  pause.started(kFirstStart);
  pause.ended(!kExcused, kFirstStart);
  return std::chrono::duration_cast<milliseconds>(pause.until() - kFirstStart);
}

TEST(RespawnPause, DoublesWithEachEarlyDeathUpToItsMaximum) {
  RespawnPause pause;
  EXPECT_TRUE(pause.is_over(kFirstStart));
  EXPECT_EQ(after_early_death(pause), milliseconds(50));
  EXPECT_FALSE(pause.is_over(kFirstStart));
  EXPECT_EQ(after_early_death(pause), milliseconds(100));
  for (int i = 0; i < 20; ++i) (void)after_early_death(pause);
  EXPECT_EQ(after_early_death(pause), RespawnPause::kLast);
}

TEST(RespawnPause, BeginsAnewAfterAnAnswer) {
  RespawnPause pause;
  (void)after_early_death(pause);
  pause.answered();
  EXPECT_EQ(after_early_death(pause), RespawnPause::kFirst);
}

TEST(RespawnPause, DoesNotFollowALateOrExcusedEnd) {
  RespawnPause pause;
  pause.started(kFirstStart);
  pause.ended(kExcused, kFirstStart);
  EXPECT_TRUE(pause.is_over(kFirstStart));
  pause.started(kFirstStart);
  pause.ended(!kExcused, kFirstStart + RespawnPause::kEarly);
  EXPECT_TRUE(pause.is_over(kFirstStart + RespawnPause::kEarly));
}

TEST(RespawnPause, FollowsAProcessThatCannotBeStarted) {
  RespawnPause pause;
  pause.failed_to_start(kFirstStart);
  EXPECT_EQ(pause.until(), kFirstStart + RespawnPause::kFirst);
}

}  // namespace
}  // namespace penstock
