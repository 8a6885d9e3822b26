#include "topics/topic_scan.h"

#include <gtest/gtest.h>

#include <map>

#include "topics/simulated/simulated_log.h"

namespace penstock {
namespace {

constexpr TopicScan::Patience kShort{std::chrono::milliseconds(20), std::chrono::milliseconds(400)};

class TopicScanTest : public testing::Test {
 protected:
  TopicScanTest() {
    EXPECT_TRUE(log_.create({.name = "t", .partitions = 3, .replication = 1, .config = {}}));
    session_ = std::move(*log_.open({.client_id = "scan", .instance_id = {}}));
  }

  void append(PartitionId partition, int count) {
    for (int i = 0; i < count; ++i) {
      const std::string value = std::to_string(i);
      cluster_.append("t", partition, {.key = "k", .value = value, .headers = {}});
    }
  }
  static ClusterOptions options() {
    ClusterOptions options;
    options.wait_passes_time = true;
    return options;
  }
  TopicScan scan(const std::vector<ScanRange>& ranges, TopicScan::Patience patience = kShort) {
    return {*session_, "t", ranges, patience};
  }
  TopicScan::OnRecord collect() {
    return [this](PartitionId partition, const LogRecord& record) {
      seen_[partition].push_back(record.offset.value);
      return true;
    };
  }

  SimulatedCluster cluster_{options()};
  SimulatedLog log_{cluster_, cluster_.add_host()};
  std::unique_ptr<LogSession> session_;
  std::map<PartitionId, std::vector<std::int64_t>> seen_;
};

std::vector<std::int64_t> offsets(std::int64_t from, std::int64_t end) {
  std::vector<std::int64_t> all;
  for (; from < end; ++from) all.push_back(from);
  return all;
}

TEST_F(TopicScanTest, EveryRecordOfTheRangesComesOnceAndInOrder) {
  append(0, 5000);
  append(1, 20);
  append(2, 7);
  TopicScan scan = this->scan({{Offset{10}, Offset{4990}}, {Offset{3}, Offset{20}}, {}});
  const Status read = scan.run(collect());
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(seen_[0], offsets(10, 4990));
  EXPECT_EQ(seen_[1], offsets(3, 20));
  EXPECT_TRUE(seen_[2].empty());
  EXPECT_TRUE(scan.gaps().empty());
  EXPECT_EQ(scan.position(1), Offset{20});
}

TEST_F(TopicScanTest, EmptyRangesAreReadWithoutAnyRecord) {
  ASSERT_TRUE(scan({{}, {Offset{5}, Offset{5}}, {}}).run(collect()));
  EXPECT_TRUE(seen_.empty());
}

TEST_F(TopicScanTest, WhatRetentionHasRemovedIsReportedAndPassedOver) {
  append(0, 50);
  cluster_.trim("t", 0, Offset{30});
  TopicScan scan = this->scan({{Offset{10}, Offset{50}}});
  const Status read = scan.run(collect());
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(seen_[0], offsets(30, 50));
  ASSERT_EQ(scan.gaps().size(), 1u);
  EXPECT_EQ(scan.gaps()[0].from, Offset{10});
  EXPECT_EQ(scan.gaps()[0].to, Offset{30});
  EXPECT_EQ(scan.gaps()[0].why, ScanGap::Why::kRemoved);
}

TEST_F(TopicScanTest, ARangeThatWasRemovedAsAWholeEnds) {
  append(0, 50);
  cluster_.trim("t", 0, Offset{50});
  TopicScan scan = this->scan({{Offset{10}, Offset{40}}});
  ASSERT_TRUE(scan.run(collect()));
  EXPECT_TRUE(seen_.empty());
  ASSERT_EQ(scan.gaps().size(), 1u);
  EXPECT_EQ(scan.gaps()[0].to, Offset{40});
}

TEST_F(TopicScanTest, OffsetsWithoutARecordAreNotWaitedForForEver) {
  append(0, 50);
  append(1, 10);
  TopicScan scan = this->scan({{Offset{0}, Offset{60}}, {Offset{0}, Offset{10}}});
  const Status read = scan.run(collect());
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(seen_[0], offsets(0, 50));
  EXPECT_EQ(seen_[1], offsets(0, 10));
  ASSERT_EQ(scan.gaps().size(), 1u);
  EXPECT_EQ(scan.gaps()[0].from, Offset{50});
  EXPECT_EQ(scan.gaps()[0].why, ScanGap::Why::kAbsent);
}

TEST_F(TopicScanTest, ItEndsWhereItsCallerSaysSo) {
  append(0, 100);
  TopicScan scan = this->scan({{Offset{0}, Offset{100}}});
  ASSERT_TRUE(scan.run([&](PartitionId, const LogRecord& record) {
    seen_[0].push_back(record.offset.value);
    return seen_[0].size() < 7;
  }));
  EXPECT_EQ(seen_[0], offsets(0, 7));
  EXPECT_EQ(scan.position(0), Offset{7});
}

TEST_F(TopicScanTest, WhoStopsItGetsAnError) {
  append(0, 10);
  TopicScan scan = this->scan({{Offset{0}, Offset{20}}}, TopicScan::Patience());
  const Status read = scan.run(collect(), [this] { return seen_[0].size() == 10; });
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().message.find("stopped"), std::string::npos);
}

TEST_F(TopicScanTest, AnUnknownTopicIsAnErrorThatNamesIt) {
  TopicScan scan(*session_, "missing", {{Offset{0}, Offset{1}}}, TopicScan::Patience());
  const Status read = scan.run(collect());
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().message.find("missing"), std::string::npos);
}

TEST_F(TopicScanTest, ATopicThatEndsBeforeItsRangeIsAnError) {
  append(0, 10);
  const Status read = scan({{Offset{20}, Offset{30}}}).run(collect());
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().message.find("created again"), std::string::npos);
}

}  // namespace
}  // namespace penstock
