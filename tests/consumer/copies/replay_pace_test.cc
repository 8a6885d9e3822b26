#include "consumer/copies/replay_pace.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "topics/partitioner.h"

namespace penstock {
namespace {

using std::chrono::seconds;

struct Paced : ::testing::Test {
  ReplayRecord record;

  void make(const std::string& terms, const std::vector<std::int64_t>& records) {
    record.terms = *parse_replay_terms(nlohmann::json::parse(terms));
    for (const std::int64_t count : records) record.ranges.push_back({Offset{0}, Offset{count}});
    record.started_at = time_from_ms(1'800'000'000'000);
  }
  // How many copies the partition makes in so many seconds, if it always has some to make.
  [[nodiscard]] int made(PartitionId partition, seconds during) const {
    ReplayPace pace;
    pace.set(record, partition);
    int made = 0;
    for (Time now = record.started_at; now < record.started_at + during; now += Duration(1)) {
      while (pace.next_copy(now) <= now && made < 1'000'000) {
        pace.charge(now);
        ++made;
      }
    }
    return made;
  }
};

TEST_F(Paced, EachPartitionHasThePartOfTheRateThatItHasOfTheRecords) {
  make(R"({"rate":"100/s"})", {100, 900});
  EXPECT_NEAR(made(0, seconds(10)), 100, 2);
  EXPECT_NEAR(made(1, seconds(10)), 900, 10);
}

TEST_F(Paced, TheWholeRateBelongsToThePartitionsOfTheSelectedAccounts) {
  make(R"({"rate":"100/s","accounts":["acme"]})", {500, 500, 500, 500});
  const PartitionId home = partition_of("acme", 4);
  EXPECT_NEAR(made(home, seconds(10)), 1000, 10);
  // A record of the account that lies elsewhere has its partition's part.
  EXPECT_NEAR(made((home + 1) % 4, seconds(10)), 250, 3);
}

TEST_F(Paced, PartitionsWithLessThanOneCopyAtATimeDoNotAllBeginAtOnce) {
  make(R"({"rate":"1/s"})", std::vector<std::int64_t>(12, 100));
  int at_once = 0, in_a_minute = 0;
  for (PartitionId partition = 0; partition < 12; ++partition) {
    at_once += made(partition, seconds(1));
    in_a_minute += made(partition, seconds(60));
  }
  EXPECT_EQ(at_once, 1);
  EXPECT_EQ(in_a_minute, 60);
}

TEST_F(Paced, AHighRateMakesItsCopiesAtTicksThatAllPartitionsShare) {
  make(R"({"rate":"50000/s"})", std::vector<std::int64_t>(12, 100));
  EXPECT_NEAR(made(3, seconds(10)), 10 * 50'000 / 12, 500);
  for (const PartitionId partition : {0, 7}) {
    ReplayPace pace;
    pace.set(record, partition);
    const Time now = record.started_at + Duration(3);
    while (pace.next_copy(now) <= now) pace.charge(now);
    const Time next = pace.next_copy(now);
    EXPECT_EQ(next, record.started_at + ReplayPace::kTick);
    EXPECT_EQ(pace.next_copy(next - Duration(1)), next);
    int of_tick = 0;
    for (; pace.next_copy(next) <= next; ++of_tick) pace.charge(next);
    EXPECT_NEAR(of_tick, 50'000 / 12 / 100, 1);
  }
}

// As Gcra promises, although what is made late in a tick counts as made at its beginning.
TEST_F(Paced, AtTicksTooNoTimeHasMoreCopiesThanItsRateAndBurst) {
  make(R"({"rate":"50000/s"})", {100});
  ReplayPace pace;
  pace.set(record, 0);
  // Made as late as may be, and then as early as may be.
  int made = 0;
  for (const int ms : {9, 10, 20, 30, 39, 40}) {
    const Time now = record.started_at + Duration(ms);
    while (pace.next_copy(now) <= now) pace.charge(now), ++made;
    EXPECT_LE(made, default_burst(*record.terms.rate) + 50 * (ms - 9)) << ms;
  }
}

TEST_F(Paced, ALowRateMakesEachCopyInItsOwnTime) {
  make(R"({"rate":"20/s"})", {100});
  ReplayPace pace;
  pace.set(record, 0);
  const Time now = record.started_at;
  while (pace.next_copy(now) <= now) pace.charge(now);
  EXPECT_EQ(pace.next_copy(now), now + Duration(50));
}

TEST_F(Paced, WithoutARateACopyMayAlwaysBeMade) {
  make("{}", {100});
  ReplayPace pace;
  pace.set(record, 0);
  EXPECT_EQ(pace.next_copy(record.started_at), record.started_at);
}

}  // namespace
}  // namespace penstock
