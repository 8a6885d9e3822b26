#include "consumer/operate/replay_ranges.h"

#include "tests/consumer/operate/replay_stage.h"

namespace penstock {
namespace {

using Ranges = std::vector<ReplayRange>;

ReplayRange range(std::int64_t from, std::int64_t to) { return {Offset{from}, Offset{to}}; }

struct RangesTest : testing::Test {
  explicit RangesTest(const std::vector<TopicProperty>& config = {}) : stage(config) {}
  ReplayStage stage;
  Time first = stage.now();

  ReplayRanges resolve(const std::string& terms, const char* topic = ReplayStage::kTopic) {
    const auto found = resolve_ranges(stage.log(), topic, replay_terms(terms));
    EXPECT_TRUE(found) << (found ? "" : found.error().message);
    return found.value_or(ReplayRanges());
  }
  // A member with a time so many seconds after the first record.
  std::string at(const char* member, int seconds) const {
    return "\"" + std::string(member) +
           "\":" + std::to_string(to_ms(first + std::chrono::seconds(seconds)));
  }
};

TEST_F(RangesTest, WithoutTimesEverythingThatIsThereIsRead) {
  stage.jobs(0, "acme", 3);
  stage.jobs(1, "globex", 2);
  EXPECT_EQ(resolve("{}").ranges, (Ranges{range(0, 3), range(0, 2)}));
  EXPECT_EQ(resolve(R"({"ids":["acme-1"]})").ranges, (Ranges{range(0, 3), range(0, 2)}));
}

TEST_F(RangesTest, ATimeBeginsAtTheFirstRecordThatIsNotBeforeIt) {
  stage.jobs(0, "acme", 5);
  EXPECT_EQ(resolve("{" + at("from", 2) + "}").ranges, (Ranges{range(2, 5), range(0, 0)}));
}

TEST_F(RangesTest, AnEndTimeEndsNothingBecauseTimesNeedNotBeInOrder) {
  stage.jobs(0, "acme", 5);
  EXPECT_EQ(resolve("{" + at("to", 2) + "}").ranges[0], range(0, 5));
}

struct StampedRangesTest : RangesTest {
  StampedRangesTest() : RangesTest({{"message.timestamp.type", "LogAppendTime"}}) {}
};

TEST_F(StampedRangesTest, WhereTheBrokerStampsRecordsAnEndTimeEndsTheRange) {
  stage.jobs(0, "acme", 5);
  EXPECT_EQ(resolve("{" + at("from", 1) + "," + at("to", 3) + "}").ranges[0], range(1, 3));
}

TEST_F(RangesTest, OffsetsAreThoseThatAreThere) {
  stage.jobs(0, "acme", 5);
  EXPECT_EQ(resolve(R"({"offsets":{"0":[1,3]}})").ranges, (Ranges{range(1, 3), range(0, 0)}));
  EXPECT_EQ(resolve(R"({"offsets":{"0":[1,null]}})").ranges[0], range(1, 5));
  EXPECT_EQ(resolve(R"({"offsets":{"0":[1,99]}})").ranges[0], range(1, 5));
  EXPECT_EQ(resolve(R"({"offsets":{"0":[7,99]}})").ranges[0].records(), 0);
}

TEST_F(RangesTest, OffsetsThatRetentionHasRemovedAreCounted) {
  stage.jobs(0, "acme", 6);
  stage.cluster().trim(ReplayStage::kTopic, 0, Offset{4});
  EXPECT_EQ(resolve(R"({"offsets":{"0":[1,6]}})").removed, 3);
  EXPECT_EQ(resolve(R"({"offsets":{"0":[1,6]}})").ranges[0], range(4, 6));
  EXPECT_EQ(resolve(R"({"offsets":{"0":[1,3]}})").removed, 2);
  EXPECT_EQ(resolve(R"({"offsets":{"0":[1,3]}})").ranges[0].records(), 0);
  EXPECT_EQ(resolve(R"({"offsets":{"0":[4,6]}})").removed, 0);
}

TEST_F(RangesTest, APartitionThatTheTopicHasNotIsAFaultOfTheTerms) {
  const auto found =
      resolve_ranges(stage.log(), ReplayStage::kTopic, replay_terms(R"({"offsets":{"2":[0,1]}})"));
  ASSERT_FALSE(found);
  EXPECT_TRUE(found.error().is_of_terms);
  const auto gone = resolve_ranges(stage.log(), "penstock.none", replay_terms());
  ASSERT_FALSE(gone);
  EXPECT_FALSE(gone.error().is_of_terms);
}

TEST_F(RangesTest, WhatMayHaveBeenRemovedIsToldByTheOldestRecordThatIsLeft) {
  stage.jobs(0, "acme", 6);
  EXPECT_EQ(resolve("{}").oldest, Time{});
  stage.cluster().trim(ReplayStage::kTopic, 0, Offset{4});
  const ReplayRanges all = resolve("{}");
  EXPECT_EQ(all.removed, 4);
  EXPECT_EQ(all.oldest, first + std::chrono::seconds(4));
  EXPECT_EQ(resolve("{" + at("from", 2) + "}").removed, 4);
  // The oldest record is of that very time, so nothing later than it was removed.
  EXPECT_EQ(resolve("{" + at("from", 4) + "}").removed, 0);
  EXPECT_EQ(resolve("{" + at("from", 5) + "}").removed, 0);
}

TEST_F(RangesTest, DeadRecordsAreReadFromALittleEarlierBecauseClocksDiffer) {
  stage.die(0, "2027-01-15T08:00:00.000Z", "discarded");
  stage.pass(std::chrono::minutes(10));
  stage.die(0, "2027-01-15T08:10:00.000Z", "discarded");
  const auto from = [&](int seconds) {
    return resolve("{\"dead\":true," + at("from", seconds) + "}", ReplayStage::kDeadTopic)
        .ranges[0];
  };
  EXPECT_EQ(from(299), range(0, 2));
  EXPECT_EQ(from(301), range(1, 2));
  EXPECT_EQ(from(899), range(1, 2));
  EXPECT_EQ(from(901), range(2, 2));
}

}  // namespace
}  // namespace penstock
