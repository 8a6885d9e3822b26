// Waiting for what becomes of jobs, and the keys that make a repeated request harmless.
#include "api/gateway/job_wait.h"

#include <thread>

#include "tests/api/fake_source.h"

namespace penstock {
namespace {

using testing::HasSubstr;

TEST(WaitedState, ADuplicateNamesTheJobThatItRepeats) {
  const JobIdentity job{"acme", "a"};
  EXPECT_EQ(
      waited_state(job, {Offset{3}, EventKind::kDuplicate, "its id was seen before"}).duplicate_of,
      "a");
  EXPECT_EQ(waited_state(job, {Offset{3}, EventKind::kDuplicate, "folded into \"b\""}).duplicate_of,
            "b");
  EXPECT_EQ(waited_state(job, {Offset{3}, EventKind::kSucceeded, ""}).duplicate_of, "");
  EXPECT_EQ(waited_state(job, {Offset{3}, EventKind::kDead, "exhausted: x"}).state, "dead");
}

struct Awaited : testing::Test {
  FakeSource source;
  AskedWait asked{AskedWait::For::kAdmission, std::chrono::milliseconds(20'000)};

  std::vector<WaitedState> wait_after(const std::vector<WatchedChange>& changes) {
    auto wait = JobWait::begin(source, "mail", {{"acme", "a"}}, asked);
    EXPECT_TRUE(wait);
    for (const WatchedChange& change : changes) source.board.lock()->tell(0, change);
    wait->sent(0, Offset{5});
    return wait->wait([] { return false; });
  }
};

TEST_F(Awaited, TheAdmissionOfItsOwnRecordEndsTheWait) {
  const auto states = wait_after({{Offset{4}, EventKind::kAdmitted, ""},
                                  {Offset{5}, EventKind::kDuplicate, "its id was seen before"}});
  EXPECT_EQ(states.front().state, "duplicate");
}

TEST_F(Awaited, ForTheEndAnAdmissionIsNotEnough) {
  asked.what = AskedWait::For::kEnd;
  const auto states =
      wait_after({{Offset{5}, EventKind::kAdmitted, ""}, {Offset{5}, EventKind::kSucceeded, ""}});
  EXPECT_EQ(states.front().state, "succeeded");
}

TEST_F(Awaited, WhatIsKnownWhenTheTimeIsOverIsTold) {
  asked = {AskedWait::For::kEnd, std::chrono::milliseconds(1)};
  EXPECT_EQ(wait_after({{Offset{5}, EventKind::kAdmitted, ""}}).front().state, "admitted");
  EXPECT_EQ(wait_after({}).front().state, "");
}

TEST_F(Awaited, NothingIsAwaitedOfPartitionsThatAreNotHere) {
  source.not_watched = {0};
  EXPECT_EQ(wait_after({}).front().state, "");
}

using WaitsOverHttp = ApiTest;

TEST_F(WaitsOverHttp, AWaitThatCannotBeUnderstoodIsRefused) {
  const std::string job = R"({"account":"acme","type":"send"})";
  EXPECT_EQ(problem_of(post("/v1/queues/mail/jobs?wait=done", job), 400)["member"], "wait");
  EXPECT_EQ(problem_of(post("/v1/queues/mail/jobs?timeout=1s", job), 400)["member"], "timeout");
  EXPECT_EQ(problem_of(post("/v1/queues/mail/jobs?wait=ended&timeout=2m", job), 400)["member"],
            "timeout");
  EXPECT_TRUE(sink.records.empty());
}

TEST_F(WaitsOverHttp, TheWatchBeginsBeforeTheJobIsSent) {
  const auto result = post("/v1/queues/mail/jobs?wait=admitted&timeout=1ms",
                           R"({"account":"acme","type":"send","id":"a"})");
  ASSERT_EQ(result->status, 202) << result->body;
  ASSERT_EQ(source.watched.size(), 1U);
  EXPECT_EQ(source.watched[0].id, "a");
  EXPECT_TRUE(body_of(result)["jobs"][0]["state"].is_null());
}

TEST_F(WaitsOverHttp, AKeyMakesTheIdsOfJobsWithoutOne) {
  for (int i = 0; i < 2; ++i) {
    auto to = client();
    const auto result = to.Post("/v1/queues/mail/jobs", {{"Idempotency-Key", "order-7"}},
                                R"([{"account":"acme","type":"send"},)"
                                R"({"account":"acme","type":"send","id":"own"},)"
                                R"({"account":"acme","type":"send"}])",
                                "application/json");
    ASSERT_EQ(result->status, 202) << result->body;
    const auto jobs = body_of(result)["jobs"];
    EXPECT_EQ(jobs[0]["id"], "order-7/0");
    EXPECT_EQ(jobs[1]["id"], "own");
    EXPECT_EQ(jobs[2]["id"], "order-7/2");
  }
}

TEST_F(WaitsOverHttp, AKeyThatCannotBeAnIdIsRefused) {
  for (const std::string& key : {std::string(101, 'k'), std::string("a\"b"), std::string("a b")}) {
    auto to = client();
    const auto problem =
        problem_of(to.Post("/v1/queues/mail/jobs", {{"Idempotency-Key", key}},
                           R"({"account":"acme","type":"send"})", "application/json"),
                   422);
    EXPECT_EQ(problem["type"], "urn:penstock:problem:bad-idempotency-key");
  }
}

}  // namespace
}  // namespace penstock
