// What a job's place in its partition is good for, whatever the input looks like.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "state/rows/job_row.h"
#include "state/rows/keys.h"
#include "tests/consumer/task/task_fixture.h"

namespace penstock {
namespace {

struct JobSeqOfATask : Tasking {
  // By the jobs' ids, of those that have rows.
  [[nodiscard]] std::map<std::string, JobRow> jobs() const {
    std::map<std::string, JobRow> found;
    for (const auto& [key, value] : store.contents().rows) {
      if (key[0] != keys::kLine && key[0] != keys::kDue) continue;
      JobRow row = JobRow::decode(value).value();
      found.emplace(row.id, row);
    }
    return found;
  }
  [[nodiscard]] JobSeq seq_of(const std::string& id) const { return jobs().at(id).seq; }
};

TEST_F(JobSeqOfATask, FollowsTheOrderOfAdmissionOverTenures) {
  job("acme", "a");
  job("beta", "b");
  commit();
  restart();
  job("acme", "c");
  commit();
  EXPECT_LT(seq_of("a"), seq_of("b"));
  EXPECT_LT(seq_of("b"), seq_of("c"));
}

TEST_F(JobSeqOfATask, IsGivenAgainWhereNoCommitHadIt) {
  job("acme", "a");
  restart();  // takes the record once more
  commit();
  EXPECT_EQ(seq_of("a"), JobSeq{1});
}

TEST_F(JobSeqOfATask, IsNotSpentOnADuplicate) {
  for (const char* const id : {"a", "a", "b"}) job("acme", id);
  commit();
  EXPECT_EQ(seq_of("a").next(), seq_of("b"));
}

TEST_F(JobSeqOfATask, IsNotItsOffset) {
  for (int i = 0; i < 3; ++i) record("acme", "no job");
  job("acme", "a");
  commit();
  EXPECT_EQ(jobs().at("a").offset, Offset{3});
  EXPECT_EQ(seq_of("a"), JobSeq{1});
}

TEST_F(JobSeqOfATask, KeepsJobsApartThatHaveOneOffset) {
  job("acme", "early", R"("run_at":)" + ms(60s));
  commit();
  task->skip_to(Offset{0});  // as if the second came from elsewhere
  input.clear();
  job("acme", "late", R"("run_at":)" + ms(60s));
  commit();
  EXPECT_EQ(jobs().at("early").offset, jobs().at("late").offset);
  clock = 60s;
  EXPECT_EQ(start(1), "early");
  end("early");
  EXPECT_EQ(start(), "late");
}

TEST_F(JobSeqOfATask, OfAJobThatEndsBeforeItsCommitLeavesNothingButTheCounter) {
  job("acme", "a");
  start();
  end("a");
  commit();
  EXPECT_TRUE(jobs().empty());
  EXPECT_EQ(rows_of(keys::kIdentity), 0u);
  std::string bytes;
  EXPECT_TRUE(View(store).get(keys::kMetaJobSeq, &bytes));
}

}  // namespace
}  // namespace penstock
