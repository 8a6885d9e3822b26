// A collection's time, and the size of a hand-over.
#include "consumer/job/job_batch.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

using std::chrono::microseconds;

JobRow row_at(Duration at) {
  JobRow row;
  row.admitted_at = row.run_at = Time(at);
  return row;
}

TEST(Collection, IsDueAfterTheDelayAndNoLaterThanTenDelays) {
  const BatchPolicy policy{.delay = 1s};
  Collection collection;
  for (Duration at = 5s; at <= 13s; at += 500ms) {
    collection.add(row_at(at));
    EXPECT_EQ(collection.due(policy), Time(at + 1s));
  }
  collection.add(row_at(14500ms));
  EXPECT_EQ(collection.due(policy), Time(15s));
}

TEST(Collection, AJobWithALaterRunAtArrivesThen) {
  const BatchPolicy policy{.delay = 1s};
  Collection collection;
  JobRow row = row_at(5s);
  row.run_at = Time(8s);
  collection.add(row);
  EXPECT_EQ(collection.due(policy), Time(9s));
}

TEST(Collection, IsFullByItemsByBytesAndWhenItIsClosed) {
  Collection items, bytes, closed;
  for (int i = 0; i < 3; ++i) items.add(row_at(1s));
  EXPECT_TRUE(items.full(3));
  EXPECT_FALSE(items.full(4));
  JobRow large = row_at(1s);
  large.value.assign(kMaxBatchCost / 2, 'x');
  bytes.add(large);
  EXPECT_TRUE(bytes.full(100));
  closed.add(row_at(1s));
  closed.close();
  EXPECT_TRUE(closed.full(100));
}

TEST(Collection, EqualArgumentsAreOneItemAndNotMoreJobsThanABatchHas) {
  Collection collection;
  for (int i = 0; i < kMaxBatch; ++i) {
    EXPECT_FALSE(collection.full(2));
    collection.add(row_at(1s), Digest{1, 1});
  }
  EXPECT_TRUE(collection.full(2));
}

TEST(BatchSizer, WithoutATargetMaxDecides) {
  BatchSizer sizer;
  EXPECT_EQ(sizer.size({.max = 7}), 7);
  sizer.measured(1, microseconds(1'000'000));
  EXPECT_EQ(sizer.size({.max = 7}), 7);
}

TEST(BatchSizer, GrowsByTwoAndFollowsTheMeasure) {
  const BatchPolicy policy{.max = 1000, .target = 1s};
  BatchSizer sizer;
  EXPECT_EQ(sizer.size(policy), 1);
  for (int expected = 2; expected <= 64; expected *= 2) {
    sizer.measured(static_cast<std::size_t>(expected / 2), microseconds(5'000 * expected));
    EXPECT_EQ(sizer.size(policy), expected);
  }
  for (int i = 0; i < 30; ++i) sizer.measured(64, microseconds(64'000 * 50));
  EXPECT_NEAR(sizer.size(policy), 20, 1) << "an item takes 50 ms now";
}

TEST(BatchSizer, IsNeverBelowOneNorAboveMax) {
  BatchSizer slow, quick;
  slow.measured(1, microseconds(60'000'000));
  EXPECT_EQ(slow.size({.max = 10, .target = 1s}), 1);
  for (int i = 0; i < 10; ++i) quick.measured(10, microseconds(0));
  EXPECT_EQ(quick.size({.max = 10, .target = 1s}), 10);
}

TEST(ArgumentsDigest, TellsArgumentsApartHoweverTheyAreWritten) {
  ArgumentsDigest digest;
  const auto of = [&](const std::string& args) {
    JobRow row;
    row.account = "acme";
    row.value = R"({"type":"t","args":)" + args + "}";
    return digest.of(row);
  };
  EXPECT_EQ(of(R"({"a":1,"b":"x"})"), of(R"({ "b":"\u0078", "a":1.0 })"));
  EXPECT_NE(of(R"({"a":1})"), of(R"({"a":2})"));
  EXPECT_NE(of("{}"), of("null"));
}

}  // namespace
}  // namespace penstock
