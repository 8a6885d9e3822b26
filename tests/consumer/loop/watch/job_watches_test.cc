#include "consumer/loop/watch/job_watches.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

JobRow row_of(const std::string& id, std::int64_t offset) {
  JobRow row;
  row.account = "acme";
  row.id = id;
  row.offset = Offset{offset};
  return row;
}

struct Watches : testing::Test {
  JobWatches watches;
  std::shared_ptr<WatchBoard> board = std::make_shared<WatchBoard>(2);

  void change(EventKind event, const JobRow& row, std::uint64_t commit) {
    watches.changed({event, row, "why", commit});
  }
};

TEST_F(Watches, AChangeIsToldOnceItsCommitCounts) {
  ASSERT_TRUE(watches.add("acme", "a", board, 1));
  change(EventKind::kAdmitted, row_of("a", 5), 7);
  watches.counted(6);
  EXPECT_TRUE(board->changes()[1].empty());
  watches.counted(7);
  ASSERT_EQ(board->changes()[1].size(), 1U);
  EXPECT_EQ(board->changes()[1][0].offset, Offset{5});
  EXPECT_EQ(board->changes()[1][0].reason, "why");
}

TEST_F(Watches, OnlyAdmissionsRefusalsAndEndsOfTheJobAreTold) {
  ASSERT_TRUE(watches.add("acme", "a", board, 0));
  change(EventKind::kStarted, row_of("a", 5), 1);
  change(EventKind::kRetrying, row_of("a", 5), 1);
  change(EventKind::kSucceeded, row_of("b", 6), 1);
  change(EventKind::kDuplicate, row_of("a", 7), 1);
  change(EventKind::kSucceeded, row_of("a", 5), 2);
  watches.counted(2);
  ASSERT_EQ(board->changes()[0].size(), 2U);
  EXPECT_EQ(board->changes()[0][0].event, EventKind::kDuplicate);
  EXPECT_EQ(board->changes()[0][1].event, EventKind::kSucceeded);
}

TEST_F(Watches, AWatchEndsWithItsBoard) {
  ASSERT_TRUE(watches.add("acme", "a", board, 0));
  board.reset();
  change(EventKind::kSucceeded, row_of("a", 5), 1);
  watches.counted(1);
  EXPECT_TRUE(watches.empty());
}

TEST_F(Watches, WatchesThatNobodyWaitsForMakeRoom) {
  for (std::size_t i = 0; i < JobWatches::kMaxWatches; ++i)
    ASSERT_TRUE(watches.add("acme", "a", std::make_shared<WatchBoard>(1), 0));
  EXPECT_TRUE(watches.add("acme", "a", board, 0));
}

TEST_F(Watches, BeyondTheMaximumNoneIsAdded) {
  for (std::size_t i = 0; i < JobWatches::kMaxWatches; ++i)
    ASSERT_TRUE(watches.add("acme", "a", board, 0));
  EXPECT_FALSE(watches.add("acme", "a", board, 0));
}

}  // namespace
}  // namespace penstock
