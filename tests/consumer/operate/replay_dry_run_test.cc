#include "consumer/operate/replay_dry_run.h"

#include <gmock/gmock.h>

#include "tests/consumer/operate/replay_stage.h"

namespace penstock {
namespace {

using testing::HasSubstr;

struct DryRunTest : testing::Test {
  ReplayStage stage;
  ReplayDesk desk = stage.desk();

  ReplayAnswer<ReplayDryRun> count(const std::string& terms = "{}",
                                   const DryRunBounds& bounds = {}) {
    return dry_run(desk, "mail", replay_terms(terms), bounds);
  }
};

TEST_F(DryRunTest, CountsByTypeAndAccountAndStartsNothing) {
  stage.jobs(0, "acme", 3);
  stage.jobs(1, "globex", 2);
  stage.job(1, "globex", R"({"type":"other"})");
  const auto run = count();
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_EQ(run->scanned, 6);
  EXPECT_EQ(run->copies, 6);
  EXPECT_EQ(run->types, (std::map<std::string, std::int64_t>{{"other", 1}, {"send", 5}}));
  EXPECT_EQ(run->accounts, (std::map<std::string, std::int64_t>{{"acme", 3}, {"globex", 3}}));
  EXPECT_EQ(stage.told(), 0);
}

TEST_F(DryRunTest, ARepeatMatchesButIsNoCopyAsInTheReplayItself) {
  stage.jobs(0, "acme", 2);
  stage.jobs(0, "acme", 2);
  stage.job(0, "acme", R"({"op":"cancel","id":"acme-0"})");
  stage.job(0, "acme", "no json");
  // The same id is another job in another account.
  stage.job(0, "globex", R"({"type":"send","id":"acme-0"})");
  const auto run = count();
  EXPECT_EQ(run->matched, 5);
  EXPECT_EQ(run->copies, 3);
  EXPECT_EQ(to_json(*run)["left_out"],
            nlohmann::ordered_json::parse(R"({"command":1,"bad":1,"repeat":2})"));
}

TEST_F(DryRunTest, TheReplaysOwnFilterDecides) {
  stage.jobs(0, "acme", 10);
  EXPECT_EQ(count(R"({"where":{"/n":7}})")->copies, 1);
  EXPECT_EQ(count(R"({"ids":["acme-3","acme-4","none"]})")->copies, 2);
  EXPECT_EQ(count(R"({"offsets":{"0":[2,5]}})")->scanned, 3);
}

TEST_F(DryRunTest, SamplesAreFewAndShort) {
  stage.job(0, "acme",
            R"({"type":"send","id":"long","args":{"s":")" + std::string(999, 'x') + "\"}}");
  stage.jobs(0, "acme", 20);
  const auto run = count();
  ASSERT_EQ(run->samples.size(), ReplayDryRun::kMaxSamples);
  EXPECT_EQ(run->samples[0].id, "long");
  EXPECT_EQ(run->samples[0].source, "penstock.mail/0/0");
  EXPECT_LE(run->samples[0].args.size(), ReplayDryRun::kMaxSampleBytes + 3);
  EXPECT_EQ(run->samples[1].args, R"({"n":0})");
}

TEST_F(DryRunTest, AccountsAndTypesBeyondTheMaximumAreOneNumber) {
  for (std::size_t i = 0; i < ReplayDryRun::kMaxTypes + 5; ++i)
    stage.job(0, "acme", R"({"type":"t)" + std::to_string(i) + "\"}");
  for (std::size_t i = 0; i < ReplayDryRun::kMaxAccounts; ++i)
    stage.job(0, "a" + std::to_string(i), R"({"type":"t0"})");
  const auto run = count();
  EXPECT_EQ(run->types.size(), ReplayDryRun::kMaxTypes);
  EXPECT_EQ(run->other_types, 5);
  EXPECT_EQ(run->accounts.size(), ReplayDryRun::kMaxAccounts);
  EXPECT_EQ(run->other_accounts, 1);
}

TEST_F(DryRunTest, WhatRetentionHasRemovedIsTold) {
  stage.jobs(0, "acme", 5);
  stage.cluster().trim(ReplayStage::kTopic, 0, Offset{3});
  const auto json = to_json(*count());
  EXPECT_EQ(json["removed"], 3);
  EXPECT_TRUE(json["oldest"].is_string());
  EXPECT_EQ(json["copies"], 2);
}

TEST_F(DryRunTest, ARangeBeyondItsBoundsIsAnErrorThatSaysWhatToDo) {
  stage.jobs(0, "acme", 5);
  const auto large = count("{}", {.records = 4});
  ASSERT_FALSE(large);
  EXPECT_EQ(large.error().kind, ReplayProblem::Kind::kBad);
  EXPECT_THAT(large.error().message, HasSubstr("penstock replay --dry-run"));
  EXPECT_TRUE(count("{}", {.records = 5}));
  const auto slow = count("{}", {.time = std::chrono::milliseconds(-1)});
  ASSERT_FALSE(slow);
  EXPECT_EQ(slow.error().kind, ReplayProblem::Kind::kBad);
}

TEST_F(DryRunTest, ItEndsWhenItIsStopped) {
  stage.jobs(0, "acme", 5);
  const auto run = count("{}", {.stopped = [] { return true; }});
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().kind, ReplayProblem::Kind::kUnavailable);
}

TEST_F(DryRunTest, DeadJobsAreCountedByReasonAndTimeOfDeath) {
  stage.die(0, "2027-01-15T08:00:00.000Z", "discarded");
  stage.die(0, "2027-01-15T08:00:01.000Z", "crashed");
  stage.die(1, "2027-01-15T08:00:02.000Z", "bad_json");
  EXPECT_EQ(count(R"({"dead":true,"reasons":["crashed"]})")->matched, 1);
  EXPECT_EQ(count(R"({"dead":true,"to":"2027-01-15T08:00:01Z"})")->matched, 1);
  EXPECT_EQ(count(R"({"dead":true})")->left_out[static_cast<std::size_t>(LeftOut::kBad)], 1);
}

}  // namespace
}  // namespace penstock
