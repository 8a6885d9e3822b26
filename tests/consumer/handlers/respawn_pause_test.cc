#include "consumer/handlers/exec/respawn_pause.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

using std::chrono::milliseconds;

constexpr bool kExcused = true;
constexpr RespawnPause::Clock::time_point kStart{std::chrono::hours(1)};

// How long the pause is after a process that started at kStart and ended at once.
milliseconds after_early_death(RespawnPause& pause) {
  pause.started(kStart);
  pause.ended(!kExcused, kStart);
  return std::chrono::duration_cast<milliseconds>(pause.until() - kStart);
}

TEST(RespawnPause, DoublesWithEachEarlyDeathUpToItsMaximum) {
  RespawnPause pause;
  EXPECT_TRUE(pause.is_over(kStart));
  EXPECT_EQ(after_early_death(pause), milliseconds(50));
  EXPECT_FALSE(pause.is_over(kStart));
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
  pause.started(kStart);
  pause.ended(kExcused, kStart);
  EXPECT_TRUE(pause.is_over(kStart));
  pause.started(kStart);
  pause.ended(!kExcused, kStart + RespawnPause::kEarly);
  EXPECT_TRUE(pause.is_over(kStart + RespawnPause::kEarly));
}

TEST(RespawnPause, FollowsAProcessThatCannotBeStarted) {
  RespawnPause pause;
  pause.failed_to_start(kStart);
  EXPECT_EQ(pause.until(), kStart + RespawnPause::kFirst);
}

}  // namespace
}  // namespace penstock
