// What `bench failover` makes of the starts that it has seen.
#include "bench/failover/standstills.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

SteadyClock::time_point at(int ms) {
  return SteadyClock::time_point() + std::chrono::milliseconds(ms);
}

TEST(Standstills, AreTheLongestTimesWithoutAStartOfThePartitionsThatMoved) {
  const std::vector<JobStart> starts{{at(0), 0, 1},   {at(0), 1, 1},   {at(10), 0, 1},
                                     {at(310), 0, 2}, {at(320), 0, 2}, {at(900), 1, 1}};
  const auto found = standstills(starts, at(5));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_DOUBLE_EQ(found.at(0), 0.3);
}

TEST(Standstills, UndisturbedIsWhatTheSamePartitionsDidBefore) {
  const std::vector<JobStart> starts{{at(0), 0, 1},  {at(20), 0, 1}, {at(30), 0, 1},
                                     {at(90), 0, 2}, {at(0), 1, 1},  {at(80), 1, 1}};
  EXPECT_EQ(undisturbed(starts, {{0, 0.06}}, at(50)), std::vector<double>{0.02});
}

TEST(Standstills, ACrashLastsUntilTheLastPartitionOfTheDeadWorkerIsBack) {
  std::vector<JobStart> starts{{at(0), 0, 1}, {at(0), 1, 1}, {at(0), 2, 2}, {at(100), 0, 3}};
  EXPECT_EQ(back_after(starts, 1, at(10)), std::nullopt) << "partition 1 has had no start";
  starts.push_back({at(510), 1, 2});
  EXPECT_DOUBLE_EQ(back_after(starts, 1, at(10)).value_or(0), 0.5);
}

TEST(Standstills, NothingIsSettledWhilePartitionsMoveOrHaveNoStarts) {
  const std::vector<JobStart> moved{
      {at(0), 0, 1}, {at(500), 0, 2}, {at(3'400), 0, 2}, {at(0), 1, 1}, {at(3'400), 1, 1}};
  EXPECT_TRUE(settled(moved, 2, at(100), at(3'500)));
  EXPECT_FALSE(settled(moved, 3, at(100), at(3'500))) << "one partition has had no start";
  EXPECT_FALSE(settled(moved, 2, at(100), at(4'000))) << "the last start was a while ago";
  EXPECT_FALSE(settled(moved, 2, at(600), at(3'500))) << "nothing has moved since";
  const std::vector<JobStart> moving{{at(0), 0, 1}, {at(3'400), 0, 2}};
  EXPECT_FALSE(settled(moving, 1, at(100), at(3'500)));
}

}  // namespace
}  // namespace penstock
