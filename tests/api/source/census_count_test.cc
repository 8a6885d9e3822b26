#include "api/source/census_count.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

TEST(ErrorName, IsWhatErrorsOfOneKindHaveInCommon) {
  EXPECT_EQ(error_name("status 500"), "status 500");
  EXPECT_EQ(error_name("no row 1234567 in orders"), "no row");
  EXPECT_EQ(error_name("KeyError: 'segment_id'"), "KeyError:");
  EXPECT_EQ(error_name("timed out\nat line 7"), "timed out");
  EXPECT_EQ(error_name("\"quoted\" at once"), "\"quoted");
  EXPECT_EQ(error_name(""), "");
  EXPECT_EQ(error_name(std::string(99, 'x') + "\xc3\xa4"), std::string(99, 'x'));
}

ShownJob job(JobState state, const std::string& account, const std::string& reason = "") {
  ShownJob job;
  job.id = account + "-job";
  job.queue = "mail";
  job.type = "send";
  job.account = account;
  job.state = state;
  job.reason = reason;
  job.created = time_from_ms(1000);
  return job;
}

TEST(CensusCount, CountsJobsByStateAndByWhatTheyWaitFor) {
  JobCensus census;
  CensusCount count(census);
  ShownJob waits = job(JobState::kWaiting, "acme");
  waits.waits = {Waits::kLimit, "crm"};
  count.add(waits);
  count.add(job(JobState::kRunning, "acme"));
  count.add(job(JobState::kSucceeded, "bolt"));
  count.finish();
  EXPECT_EQ(census.states, (std::map<std::string, std::uint64_t>{
                               {"waiting", 1}, {"running", 1}, {"succeeded", 1}}));
  EXPECT_EQ(census.waiting, (std::map<std::string, std::uint64_t>{{"limit", 1}}));
}

TEST(CensusCount, GroupsFailuresMostJobsFirst) {
  JobCensus census;
  CensusCount count(census);
  count.add(job(JobState::kDead, "acme", "exhausted: status 500"));
  for (const char* const reason : {"no row 12345", "no row 67890"})
    count.add(job(JobState::kRetrying, "bolt", reason));
  count.finish();
  ASSERT_EQ(census.failures.size(), 2U);
  EXPECT_EQ(census.failures[0].error, "no row");
  EXPECT_EQ(census.failures[0].jobs, 2U);
  EXPECT_FALSE(census.failures[0].dead);
  EXPECT_TRUE(census.failures[1].dead);
}

TEST(CensusCount, KeepsTheAccountsWithTheOldestJobs) {
  JobCensus census;
  CensusCount count(census);
  for (int i = 0; i < 1000; ++i) {
    ShownJob at = job(JobState::kReady, "a" + std::to_string(i));
    at.created = time_from_ms(10'000 - i);
    count.add(at);
    at.created = time_from_ms(20'000);
    count.add(at);
  }
  count.finish();
  ASSERT_EQ(census.oldest.size(), JobCensus::kMaxAccounts);
  EXPECT_EQ(census.oldest.front().account, "a999");
  EXPECT_EQ(census.oldest.front().jobs, 2U);
}

}  // namespace
}  // namespace penstock
