// Actions on the jobs that filters select.
#include "api/gateway/job_actions.h"

#include "tests/api/fake_source.h"

namespace penstock {
namespace {

using testing::HasSubstr;

struct Actions : ApiTest {
  Actions() {
    for (const auto& [id, state] :
         {std::pair("a", JobState::kRetrying), std::pair("b", JobState::kDead)}) {
      ShownJob job;
      job.id = id;
      job.queue = "mail";
      job.type = "send";
      job.account = "acme";
      job.state = state;
      source.listing.jobs.push_back(job);
    }
  }
  httplib::Result act(const std::string& body) {
    return post("/v1/queues/mail/jobs/actions", body);
  }
  std::string fault(const std::string& body) {
    return problem_of(act(body), 422).value("member", "");
  }
};

TEST_F(Actions, EachJobThatIsSelectedGetsTheCommand) {
  const auto result = act(R"({"op":"delete","type":"send"})");
  ASSERT_EQ(result->status, 202) << result->body;
  EXPECT_EQ(body_of(result)["matched"], 2);
  EXPECT_EQ(body_of(result)["sent"], 2);
  EXPECT_TRUE(body_of(result)["after"].is_null());
  ASSERT_EQ(sink.records.size(), 2U);
  EXPECT_EQ(sink.records[0].value, R"({"op":"delete","id":"a"})");
  EXPECT_EQ(sink.records[0].account, "acme");
  EXPECT_EQ(source.asked.type, "send");
}

TEST_F(Actions, ADryRunSendsNothing) {
  const auto result = act(R"({"op":"delete","dry_run":true})");
  ASSERT_EQ(result->status, 200) << result->body;
  EXPECT_EQ(body_of(result)["matched"], 2);
  EXPECT_EQ(body_of(result)["sample"].size(), 2U);
  EXPECT_TRUE(sink.records.empty());
}

TEST_F(Actions, ACancelSelectsLiveJobsAndARetryDeadOnes) {
  EXPECT_EQ(body_of(act(R"({"op":"cancel","account":"acme"})"))["sent"], 1);
  EXPECT_EQ(sink.records.front().value, R"({"op":"cancel","id":"a"})");
  (void)act(R"({"op":"retry","account":"acme"})");
  EXPECT_EQ(source.asked.state, JobState::kDead);
}

TEST_F(Actions, ARescheduleSaysWhen) {
  ASSERT_EQ(act(R"({"op":"reschedule","type":"send","run_at":86400000})")->status, 202);
  EXPECT_EQ(sink.records.front().value, R"({"op":"reschedule","id":"a","run_at":86400000})");
  EXPECT_EQ(fault(R"({"op":"reschedule","type":"send"})"), "/run_at");
  EXPECT_EQ(fault(R"({"op":"reschedule","type":"send","in":"soon"})"), "/in");
  EXPECT_EQ(fault(R"({"op":"cancel","type":"send","in":"5m"})"), "/in");
}

TEST_F(Actions, WithoutAFilterAllMustBeMeant) {
  EXPECT_EQ(fault(R"({"op":"delete"})"), "/all");
  EXPECT_TRUE(sink.records.empty());
  EXPECT_EQ(act(R"({"op":"delete","all":true})")->status, 202);
}

TEST_F(Actions, WhatCannotBeUnderstoodIsNamed) {
  EXPECT_EQ(fault(R"({"op":"remove","type":"send"})"), "/op");
  EXPECT_EQ(fault(R"({"op":"delete","stat":"dead"})"), "/stat");
  EXPECT_EQ(fault(R"({"op":"delete","state":"ded"})"), "/state");
  EXPECT_EQ(fault(R"({"op":"delete","type":7})"), "/type");
  EXPECT_EQ(fault(R"({"op":"delete","type":"send","limit":0})"), "/limit");
  EXPECT_EQ(fault(R"({"op":"delete","type":"send","limit":10001})"), "/limit");
}

TEST_F(Actions, WhatKafkaDoesNotAcknowledgeIsToldWithWhereToContinue) {
  sink.gives_up_on = "acme";
  const auto problem = problem_of(act(R"({"op":"delete","type":"send","after":"1-0-"})"), 503);
  EXPECT_EQ(problem["type"], "urn:penstock:problem:not-acknowledged");
  EXPECT_EQ(problem["sent"], 0);
  EXPECT_EQ(problem["errors"].size(), 2U);
}

}  // namespace
}  // namespace penstock
