#include "api/live/history.h"

#include <gtest/gtest.h>

#include "tests/api/fake_source.h"

namespace penstock {
namespace {

using std::chrono::seconds;

struct Looks : testing::Test {
  FakeSource source;
  History history{source};
  std::vector<QueueStatus> queues = source.queues;
  Time now = time_from_ms(1'000'000);

  // One look a second, `in` jobs later.
  void look(std::uint64_t in) {
    queues.front().counters.admitted += in;
    history.add(queues, now);
    now += seconds(1);
  }
};

TEST_F(Looks, RatesAreThoseOfTheLastSeconds) {
  EXPECT_EQ(history.rates("mail").in, 0);
  for (int i = 0; i < 60; ++i) look(100);
  for (int i = 0; i < 11; ++i) look(7);
  EXPECT_DOUBLE_EQ(history.rates("mail").in, 7);
}

TEST_F(Looks, APointCountsWhatCameWithinItsStep) {
  for (int i = 0; i < 31; ++i) look(5);
  const auto points = history.points("mail");
  ASSERT_EQ(points.size(), 3U);
  for (const auto& point : points) EXPECT_EQ(point.in, 50U);
}

TEST_F(Looks, AnHourIsKept) {
  for (int i = 0; i < 4000; ++i) look(1);
  EXPECT_EQ(history.points("mail").size(), History::kMaxPoints);
}

TEST_F(Looks, ACounterThatBeginsAnewIsNoNegativeRate) {
  for (int i = 0; i < 5; ++i) look(100);
  queues.front().counters.admitted = 0;
  for (int i = 0; i < 30; ++i) look(1);
  EXPECT_GE(history.rates("mail").in, 0);
  for (const auto& point : history.points("mail")) EXPECT_LT(point.in, 1000U);
}

TEST_F(Looks, IncompleteFiguresAreLeftOut) {
  for (int i = 0; i < 11; ++i) look(5);
  queues.front().silent_loops = 1;
  for (int i = 0; i < 30; ++i) look(5);
  EXPECT_EQ(history.points("mail").size(), 1U);
}

}  // namespace
}  // namespace penstock
