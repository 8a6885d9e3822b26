#include "consumer/store/job_seqs.h"

#include <gtest/gtest.h>

#include <string>

#include "state/rows/keys.h"
#include "state/store/memory_store.h"

namespace penstock {
namespace {

struct JobSeqsTest : testing::Test {
  MemoryStore store;
  View view{store};
  JobSeqs seqs{view};
  std::uint64_t commits = 0;

  void commit() {
    seqs.save();
    const std::string rows(view.batch().bytes());
    view.sent(++commits);
    ASSERT_TRUE(store.apply(
        rows, {Offset{static_cast<std::int64_t>(commits)}, Offset{0}, commits, 0, false}));
    view.applied(commits);
  }
  // Of the owner that comes next: it knows what the commits hold.
  [[nodiscard]] JobSeq taken_by_the_next_owner() {
    View its_view(store);
    JobSeqs its(its_view);
    its.restored();
    return its.take();
  }
};

TEST_F(JobSeqsTest, TheFirstIsOneAndEachIsBehindEveryOneBefore) {
  EXPECT_FALSE(JobSeq{}.given());
  for (std::int64_t i = 1; i <= 100; ++i) EXPECT_EQ(seqs.take(), JobSeq{i});
}

TEST_F(JobSeqsTest, TheNextOwnerGoesOnBehindWhatTheCommitsHold) {
  for (int i = 0; i < 3; ++i) (void)seqs.take();
  commit();
  EXPECT_EQ(taken_by_the_next_owner(), JobSeq{4});
  (void)seqs.take();
  EXPECT_EQ(taken_by_the_next_owner(), JobSeq{4}) << "no commit holds a row with the last one";
  commit();
  EXPECT_EQ(taken_by_the_next_owner(), JobSeq{5});
}

TEST_F(JobSeqsTest, ACommitThatGivesNoneHasNoRowOfIt) {
  (void)seqs.take();
  commit();
  seqs.save();
  EXPECT_FALSE(view.dirty());
}

}  // namespace
}  // namespace penstock
