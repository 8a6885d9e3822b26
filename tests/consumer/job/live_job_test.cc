// Memory that a peak of jobs needed is given back after it.
#include "consumer/job/live_job.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

constexpr std::size_t kPeak = 4 * LiveJobPool::kMaxUnusedBlocks * LiveJobPool::kBlock;

TEST(LiveJobPool, KeepsFewBlocksAfterAPeak) {
  LiveJobPool pool;
  std::vector<LiveJob*> jobs;
  for (std::size_t i = 0; i < kPeak; ++i) jobs.push_back(pool.take());
  EXPECT_EQ(pool.blocks(), kPeak / LiveJobPool::kBlock);
  for (LiveJob* const job : jobs) pool.give_back(job);
  EXPECT_EQ(pool.in_use(), 0u);
  EXPECT_LE(pool.blocks(), LiveJobPool::kMaxUnusedBlocks);
}

TEST(LiveJobPool, FillsBlocksThatAreInUseBeforeOthers) {
  LiveJobPool pool;
  std::vector<LiveJob*> jobs;
  for (std::size_t i = 0; i < kPeak; ++i) jobs.push_back(pool.take());
  for (std::size_t i = 0; i < kPeak; ++i) {
    if (i % 2 == 0) pool.give_back(jobs[i]);
  }
  for (std::size_t i = 0; i < kPeak; i += 2) jobs[i] = pool.take();
  EXPECT_EQ(pool.blocks(), kPeak / LiveJobPool::kBlock);
  EXPECT_EQ(pool.in_use(), kPeak);
  for (LiveJob* const job : jobs) pool.give_back(job);
}

TEST(LiveJobPool, AJobThatIsTakenAgainHasNoLargeBuffers) {
  LiveJobPool pool;
  LiveJob* const job = pool.take();
  const std::string large(10 * LiveJobPool::kMaxKeptTextBytes, 'x');
  job->row.value = job->row.cursor = job->row.reason = job->refused = large;
  pool.give_back(job);
  LiveJob* const again = pool.take();
  ASSERT_EQ(again, job);
  for (const std::string* const text :
       {&again->row.value, &again->row.cursor, &again->row.reason, &again->refused}) {
    EXPECT_LE(text->capacity(), LiveJobPool::kMaxKeptTextBytes);
  }
  EXPECT_EQ(again->next, nullptr);
  pool.give_back(again);
}

}  // namespace
}  // namespace penstock
