#include "state/owner/pending_commits.h"

#include <gtest/gtest.h>

#include "state/rows/digest.h"

namespace penstock {
namespace {

constexpr Instant at(int seconds) { return Instant{std::chrono::seconds(seconds)}; }

struct PendingCommitsTest : testing::Test {
  PendingCommits commits;

  void SetUp() override { commits.restored(Offset{7}, 3, 99, at(1)); }
  void add(const std::string& record, int seconds) {
    commits.add(record, false, at(seconds));
    commits.taken(at(seconds));
  }
};

TEST_F(PendingCommitsTest, ContinueFromTheClaim) {
  EXPECT_EQ(commits.seq(), 3u);
  EXPECT_EQ(commits.hash(), 99u);
  EXPECT_EQ(commits.last_counted(), Offset{7});
  EXPECT_EQ(commits.last_sent(), at(1));
  EXPECT_TRUE(commits.empty());
}

TEST_F(PendingCommitsTest, EachRecordContinuesTheOneBefore) {
  add("a", 2);
  add("b", 3);
  EXPECT_EQ(commits[0].number, 1u);
  EXPECT_EQ(commits[1].number, 2u);
  EXPECT_EQ(commits[0].seq, 4u);
  EXPECT_EQ(commits[1].seq, 5u);
  EXPECT_EQ(commits.seq(), 5u);
  EXPECT_EQ(commits.hash(), bytes_hash("b"));
}

TEST_F(PendingCommitsTest, ARecordIsSentWhenTheLogTakesIt) {
  commits.add("a", false, at(2));
  ASSERT_NE(commits.waiting(), nullptr);
  EXPECT_EQ(commits.waiting()->sent, at(2));
  commits.taken(at(5));
  EXPECT_EQ(commits.waiting(), nullptr);
  EXPECT_EQ(commits.front().sent, at(5));
  EXPECT_EQ(commits.last_sent(), at(5));
}

TEST_F(PendingCommitsTest, AnAcknowledgementIsOfTheRecordWithItsNumber) {
  add("a", 2);
  add("b", 3);
  const PendingRecord* second = commits.acknowledged(2, Offset{9});
  ASSERT_NE(second, nullptr);
  EXPECT_EQ(second->record, "b");
  EXPECT_FALSE(commits.front().acknowledged);
  EXPECT_EQ(commits.acknowledged(3, Offset{10}), nullptr);
}

TEST_F(PendingCommitsTest, ARecordThatCountsIsNoLongerPending) {
  add("a", 2);
  add("b", 3);
  EXPECT_EQ(commits.count_front(Offset{8}).record, "a");
  EXPECT_EQ(commits.last_counted(), Offset{8});
  EXPECT_EQ(commits.front().record, "b");
  EXPECT_EQ(commits.acknowledged(1, Offset{8}), nullptr);
}

TEST_F(PendingCommitsTest, AreFullAtTheirMaximum) {
  for (std::size_t i = 0; i < PendingCommits::kMaxInFlight; ++i) {
    EXPECT_FALSE(commits.full());
    add("a", 2);
  }
  EXPECT_TRUE(commits.full());
}

}  // namespace
}  // namespace penstock
