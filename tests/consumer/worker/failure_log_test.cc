#include "consumer/worker/failure_log.h"

#include <gtest/gtest.h>

#include <vector>

namespace penstock {
namespace {

using std::chrono::seconds;

struct Failures : testing::Test {
  std::vector<std::string> lines;
  FailureLog log{[this](const std::string& line) { lines.push_back(line); }};
  Instant now{seconds(100)};

  void fail(const std::string& type, int times = 1) {
    JobRow row;
    row.id = "a";
    row.type = type;
    row.account = "acme";
    for (int i = 0; i < times; ++i) log.failed({row, 1, 25, "boom", std::nullopt}, now);
  }
};

TEST_F(Failures, ALineNamesTheJobTheErrorAndTheNextAttempt) {
  JobRow row;
  row.id = "order-7";
  row.type = "webhook.send";
  row.account = "acme";
  log.failed({row, 2, 25, "status 500\nno more", time_from_ms(1'772'362'800'250)}, now);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0].find('\n'), std::string::npos);
  for (const char* const part : {"attempt 2 of 25", "\"order-7\"", "webhook.send", "\"acme\"",
                                 "status 500", "again at 2026-03-01T11:00:00.250Z"}) {
    EXPECT_NE(lines[0].find(part), std::string::npos) << part << " is not in " << lines[0];
  }
}

TEST_F(Failures, AnIdAndAnAccountCannotPretendToBeMoreOfTheLine) {
  JobRow row;
  row.id = "7\" (send, account \"globex\") ended\n";
  row.type = "send";
  row.account = "\x1b[2J";
  log.failed({row, 1, 25, "boom", std::nullopt}, now);
  EXPECT_NE(lines.at(0).find(R"(job "7\" (send, account \"globex\") ended\n" (send, account )"
                             R"("\x1b[2J") failed: boom)"),
            std::string::npos)
      << lines[0];
}

TEST_F(Failures, WhatWasTheLastAttemptIsSaid) {
  fail("t");
  EXPECT_NE(lines.at(0).find("dead"), std::string::npos) << lines[0];
}

TEST_F(Failures, ATypeThatFailsAllTheTimeGetsAFewLinesAndACount) {
  fail("t", 1000);
  EXPECT_EQ(lines.size(), static_cast<std::size_t>(FailureLog::kMaxLines));
  now += FailureLog::kPeriod;
  log.report_rest(now);
  ASSERT_EQ(lines.size(), FailureLog::kMaxLines + 1u);
  EXPECT_NE(lines.back().find("990 more failed attempts of type t"), std::string::npos);
  log.report_rest(now);
  EXPECT_EQ(lines.size(), FailureLog::kMaxLines + 1u) << "told once";
  fail("t");
  EXPECT_EQ(lines.size(), FailureLog::kMaxLines + 2u);
}

TEST_F(Failures, ANoisyTypeDoesNotHideAnother) {
  fail("noisy", 1000);
  fail("quiet");
  EXPECT_NE(lines.back().find("quiet"), std::string::npos);
}

TEST_F(Failures, TheNextFailureTellsWhatAnEarlierPeriodLeftOut) {
  fail("t", FailureLog::kMaxLines + 5);
  now += FailureLog::kPeriod;
  fail("t");
  ASSERT_EQ(lines.size(), FailureLog::kMaxLines + 2u);
  EXPECT_NE(lines[FailureLog::kMaxLines].find("5 more"), std::string::npos);
}

}  // namespace
}  // namespace penstock
