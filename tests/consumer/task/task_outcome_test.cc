// What comes of attempts: ends, retries, follow-ups, events.
#include <nlohmann/json.hpp>

#include "consumer/job/derived_id.h"
#include "tests/consumer/task/task_fixture.h"

namespace penstock {
namespace {

// -- What is told of failures

TEST_F(Tasking, AFailedAttemptIsToldWithTheTimeOfTheNext) {
  job("acme", "a");
  start();
  end("a", RetryLater{"boom", 3s});
  ASSERT_EQ(host.failures.size(), 1u);
  EXPECT_EQ(host.failures[0].id, "a");
  EXPECT_EQ(host.failures[0].error, "boom");
  EXPECT_EQ(host.failures[0].attempt, 1);
  EXPECT_EQ(host.failures[0].max_attempts, 3);
  EXPECT_EQ(host.failures[0].again, base() + 3s);
}

TEST_F(Tasking, AnAttemptAfterWhichTheJobIsDeadIsToldWithoutANext) {
  job("acme", "a");
  start();
  end("a", Discard{"gone"});
  ASSERT_EQ(host.failures.size(), 1u);
  EXPECT_EQ(host.failures[0].error, "gone");
  EXPECT_EQ(host.failures[0].again, std::nullopt);
}

TEST_F(Tasking, WhatIsDoneSnoozedOrCancelledHasNotFailed) {
  for (const char* const id : {"a", "b", "c"}) job(id, id);
  start();
  end("a");
  end("b", Snooze{1s});
  end("c", CancelJob{"no"});
  EXPECT_TRUE(host.failures.empty());
}

// -- Time

TEST_F(Tasking, NoAttemptStartsBeforeItsRunAt) {
  job("acme", "a", "\"run_at\":" + ms(10s));
  EXPECT_EQ(state("acme", "a"), "scheduled");
  EXPECT_EQ(start(), "");
  EXPECT_EQ(task->next_time(), base() + 10s);
  clock = 10s - 1ms;
  EXPECT_EQ(start(), "");
  clock = 10s;
  EXPECT_EQ(start(), "a");
}

TEST_F(Tasking, AJobThatAnOwnersFastClockLetInWaitsForTheNextOwnersClock) {
  queue.account_concurrency = 1;
  job("acme", "plain");
  job("acme", "timed", "\"run_at\":" + ms(10s));
  clock = 10s;
  job("acme", "late");
  EXPECT_EQ(start(0), "");
  commit();
  clock = 10s - 30ms;
  restart();
  EXPECT_EQ(start(), "plain");
  end("plain");
  EXPECT_EQ(start(), "late");  // its record names no time: nothing holds it back
  end("late");
  EXPECT_EQ(start(), "");
  EXPECT_EQ(state("acme", "timed"), "scheduled");
  clock = 10s;
  EXPECT_EQ(start(), "timed");
}

TEST_F(Tasking, ScheduledJobsSurviveARestart) {
  for (int i = 0; i < 50; ++i)
    job("acme" + std::to_string(i), "a", "\"run_at\":" + ms(Duration{1000 + i}));
  commit();
  restart();
  EXPECT_EQ(start(), "");
  clock = 1025ms;
  start();
  EXPECT_EQ(host.starts.size(), 26u);
}

TEST_F(Tasking, AJobNotStartedByItsExpiryEndsExpiredInLine) {
  job("acme", "first");
  start();
  job("acme", "a", "\"expires_at\":" + ms(5s));
  job("acme", "b");
  commit();
  clock = 5s;
  start();
  EXPECT_EQ(task->counters().expired, 1u);
  end("first");
  EXPECT_EQ(start(), "b");
}

TEST_F(Tasking, AScheduledJobExpiresBeforeItsTimeComes) {
  job("acme", "a", "\"run_at\":" + ms(10s) + ",\"expires_at\":" + ms(5s));
  commit();
  restart();
  clock = 5s;
  EXPECT_EQ(start(), "");
  EXPECT_EQ(task->counters().expired, 1u);
  commit();
  EXPECT_EQ(rows_of('d') + rows_of('y') + rows_of('i'), 0u);
}

TEST_F(Tasking, AJobThatIsExpiredAlreadyNeverRuns) {
  clock = 10s;
  job("acme", "a", "\"expires_at\":" + ms(5s));
  EXPECT_EQ(start(), "");
  EXPECT_EQ(task->counters().expired, 1u);
}

TEST_F(Tasking, AJobThatHasStartedDoesNotExpire) {
  job("acme", "snoozed", "\"expires_at\":" + ms(5s));
  job("bolt", "retried", "\"expires_at\":" + ms(5s));
  job("cask", "cut", "\"expires_at\":" + ms(5s));
  commit();
  EXPECT_EQ(start(), "snoozed retried cut");
  end("snoozed", Snooze{20s});
  end("retried", RetryLater{"no", {}});
  commit();
  clock = 30s;
  restart();
  EXPECT_EQ(task->counters().expired, 0u);
  start();
  EXPECT_EQ(host.starts.size(), 3u);
  EXPECT_EQ(task->counters().expired, 0u);
}

// -- Retries

TEST_F(Tasking, AFailureIsRetriedAfterItsBackoffWithTheNextNumberAndAGreaterToken) {
  job("acme", "a");
  start();
  const std::string first = token("a").text();
  end("a", RetryLater{"boom", {}});
  EXPECT_EQ(state("acme", "a"), "retrying");
  EXPECT_NE(why("acme", "a").find("boom"), std::string::npos);
  clock = 10s;  // the clock is cut to the millisecond: this may be the last of the ten seconds
  EXPECT_EQ(start(), "");
  clock = 10s + kWallResolution;
  EXPECT_EQ(start(), "a");
  EXPECT_EQ(host.starts.back().attempt, 2);
  EXPECT_GT(token("a").text(), first);
}

TEST_F(Tasking, ARetryMaySayWhen) {
  job("acme", "a");
  start();
  end("a", RetryLater{"boom", 3s});
  clock = 3s;
  EXPECT_EQ(start(), "");
  clock = 3s + kWallResolution;
  EXPECT_EQ(start(), "a");
  end("a", RetryLater{"boom", 0s});
  EXPECT_EQ(start(), "a");  // at once
}

TEST_F(Tasking, ExhaustedAttemptsGoToTheDeadTopicUnchanged) {
  record("acme", R"({ "type":"t", "id":"a" })", {{"traceparent", "00-1"}});
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(start(), "a");
    end("a", RetryLater{"boom " + std::to_string(i), {}});
    commit();
    clock += 10s + kWallResolution;
  }
  EXPECT_EQ(start(), "");
  ASSERT_EQ(dead().size(), 1u);
  const auto letter = dead()[0];
  EXPECT_EQ(letter.key, "acme");
  EXPECT_EQ(letter.value, R"({ "type":"t", "id":"a" })");
  EXPECT_EQ(letter.headers.at("traceparent"), "00-1");
  EXPECT_EQ(letter.headers.at("penstock-reason"), "attempts_exhausted");
  EXPECT_EQ(letter.headers.at("penstock-attempts"), "3");
  EXPECT_NE(letter.headers.at("penstock-detail").find("boom 2"), std::string::npos);
  EXPECT_EQ(letter.headers.at("penstock-source"), "penstock.mail/0/0");
  EXPECT_EQ(state("acme", "a"), "dead");
}

// A type that retries 5xx and timeouts, but not 501.
TypePolicy picky() {
  TypePolicy policy;
  policy.retry = {.attempts = 2, .backoff = Backoff::kFixed, .base = 10s, .jitter = 0};
  policy.retry.retry_on = {{"5xx"}, {"timeout"}};
  policy.retry.discard_on = {{"501"}};
  return policy;
}

TEST_F(Tasking, AFailureThatIsNotToBeRetriedDiesAsDiscarded) {
  types.add("picky", picky());
  record("acme", R"({"type":"picky","id":"a"})");
  record("bolt", R"({"type":"picky","id":"b"})");
  record("cask", R"({"type":"picky","id":"c"})");
  start();
  end("a", RetryLater{"HTTP status 501", {}, "501"});
  end("b", RetryLater{"HTTP status 404", 1s, "404"});
  end("c", RetryLater{"boom"});
  commit();
  ASSERT_EQ(dead().size(), 3u);
  const std::vector<std::string> details{
      "\"501\" is in discard_on: HTTP status 501", "\"404\" is not in retry_on: HTTP status 404",
      "a failure without an error name is not in retry_on: boom"};
  for (std::size_t i = 0; i < details.size(); ++i) {
    EXPECT_EQ(dead()[i].headers.at("penstock-reason"), "discarded");
    EXPECT_EQ(dead()[i].headers.at("penstock-detail"), details[i]);
    EXPECT_EQ(dead()[i].headers.at("penstock-attempts"), "1");
  }
  EXPECT_EQ(state("acme", "a"), "dead");
}

TEST_F(Tasking, AFailureThatIsToBeRetriedIsUntilItsAttemptsAreExhausted) {
  types.add("picky", picky());
  record("acme", R"({"type":"picky","id":"a"})");
  start();
  end("a", RetryLater{"HTTP status 503", {}, "503"});
  EXPECT_EQ(state("acme", "a"), "retrying");
  clock = 10s + kWallResolution;
  EXPECT_EQ(start(), "a");
  end("a", RetryLater{"timed out after 30s", {}, "timeout"});
  commit();
  ASSERT_EQ(dead().size(), 1u);
  EXPECT_EQ(dead()[0].headers.at("penstock-reason"), "attempts_exhausted");
}

TEST_F(Tasking, ACancelledJobThatFailsEndsCancelledWhateverItsErrorIs) {
  types.add("picky", picky());
  record("acme", R"({"type":"picky","id":"a"})");
  start();
  command("cancel", "acme", "a");
  end("a", RetryLater{"HTTP status 404", {}, "404"});
  commit();
  EXPECT_TRUE(dead().empty());
  EXPECT_EQ(task->counters().cancelled, 1u);
}

TEST_F(Tasking, ARefusedFollowUpHasAnErrorNameOfItsOwn) {
  TypePolicy policy = picky();
  policy.retry.retry_on = {{"bad_enqueue"}};
  types.add("picky", policy);
  record("acme", R"({"type":"picky","id":"a"})");
  start();
  end("a", Done{}, {{"", "", R"({"no":"type"})"}});
  EXPECT_EQ(state("acme", "a"), "retrying");
}

TEST_F(Tasking, ASnoozeSpendsNoAttempt) {
  job("acme", "a");
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(start(), "a");
    EXPECT_EQ(host.starts.back().attempt, 1);
    end("a", Snooze{1min});
    EXPECT_EQ(state("acme", "a"), "scheduled");
    clock += 1min;
    EXPECT_EQ(start(), "");
    clock += kWallResolution;
  }
}

TEST_F(Tasking, DiscardedIsDeadAtOnceAndCancelledIsNot) {
  job("acme", "a");
  start();
  end("a", Discard{"endpoint is gone"});
  job("acme", "b");
  start();
  end("b", CancelJob{"not needed"});
  commit();
  ASSERT_EQ(dead().size(), 1u);
  EXPECT_EQ(dead()[0].headers.at("penstock-reason"), "discarded");
  EXPECT_EQ(task->counters().cancelled, 1u);
}

TEST_F(Tasking, AnIterationKeepsItsAttemptAndCursorAndGetsAGreaterToken) {
  job("acme", "a");
  start();
  const std::string first = token("a").text();
  end("a", NextIteration{R"({"page":2})"});
  EXPECT_EQ(start(), "a");
  EXPECT_EQ(host.starts.back().cursor, R"({"page":2})");
  EXPECT_EQ(host.starts.back().attempt, 1);
  EXPECT_GT(token("a").text(), first);
}

TEST_F(Tasking, ACheckpointSurvivesADeath) {
  job("acme", "a");
  commit();
  start();
  task->checkpoint(token("a"), "7");
  commit();
  restart();
  start();
  EXPECT_EQ(host.starts.back().cursor, "7");
}

TEST_F(Tasking, AnIterationWhoseCursorIsTooLargeFailsAndSaysSo) {
  job("acme", "a");
  start();
  end("a", NextIteration{"\"kept\""});
  start();
  end("a", NextIteration{std::string(kMaxCursorBytes + 1, '1')});
  EXPECT_EQ(state("acme", "a"), "retrying");
  EXPECT_NE(why("acme", "a").find("at most 262144 are kept"), std::string::npos);
  clock = 11s;
  EXPECT_EQ(start(), "a");
  EXPECT_EQ(host.starts.back().cursor, "\"kept\"");
  EXPECT_EQ(host.starts.back().attempt, 2);
  end("a", NextIteration{std::string(kMaxCursorBytes, '1')});
  EXPECT_EQ(state("acme", "a"), "ready");
}

TEST_F(Tasking, ACheckpointThatIsTooLargeLeavesTheOneBeforeAndSaysSo) {
  job("acme", "a");
  start();
  task->checkpoint(token("a"), "\"kept\"");
  task->checkpoint(token("a"), std::string(kMaxCursorBytes + 1, '1'));
  const auto info = task->queries().find("acme", "a", now());
  EXPECT_EQ(info->row.cursor, "\"kept\"");
  EXPECT_NE(info->row.reason.find("at most 262144 are kept"), std::string::npos);
}

TEST_F(Tasking, AnOutcomeOfNoRunningAttemptChangesNothing) {
  job("acme", "a");
  start();
  const Token old = token("a");
  end("a", RetryLater{"no", {}});
  end("a");
  task->attempt_ended({5, 77, old.number}, {Done{}, {}}, now());
  EXPECT_EQ(task->counters().succeeded, 0u);
  clock = 10s;
  start();
  task->attempt_ended(old, {Done{}, {}}, now());
  task->attempt_ended({5, old.epoch + 1, token("a").number}, {Done{}, {}}, now());
  EXPECT_EQ(task->counters().succeeded, 0u);
}

TEST_F(Tasking, TokensGrowAcrossEpochs) {
  job("acme", "a");
  start();
  start();
  const std::string first = token("a").text();
  restart();
  EXPECT_EQ(start(), "a");
  EXPECT_GT(token("a").text(), first);
}

// -- Follow-ups

TEST_F(Tasking, FollowUpsLeaveWithTheCommitOfTheOutcomeUnderDerivedIds) {
  host.queues = {{"other", 6}};
  job("acme", "a");
  start();
  end("a", Done{},
      {{"", "", R"({"type":"t"})"},
       {"other", "bolt", R"({"type":"x","id":"own"})"},
       {"", "", "{ \"type\":\"t\"}"}});
  EXPECT_TRUE(sent.messages.empty());
  commit();
  const auto own = messages("penstock.mail"), other = messages("penstock.other");
  ASSERT_EQ(own.size(), 2u);
  ASSERT_EQ(other.size(), 1u);
  EXPECT_EQ(nlohmann::json::parse(*own[0].value)["id"], "a/1");
  EXPECT_EQ(nlohmann::json::parse(*own[1].value)["id"], "a/2");
  EXPECT_EQ(own[0].key, "acme");
  EXPECT_EQ(other[0].key, "bolt");
  EXPECT_EQ(nlohmann::json::parse(*other[0].value)["id"], "own");
}

TEST_F(Tasking, FollowUpNumbersGoOnOverIterationsAndRestarts) {
  job("acme", "a");
  start();
  end("a", NextIteration{"1"}, {{"", "", R"({"type":"t"})"}});
  commit();
  restart();
  start();
  end("a", Done{}, {{"", "", R"({"type":"t"})"}});
  commit();
  EXPECT_EQ(nlohmann::json::parse(*messages("penstock.mail").back().value)["id"], "a/2");
}

TEST_F(Tasking, ARetryProducesNothing) {
  job("acme", "a");
  start();
  end("a", RetryLater{"no", {}}, {{"", "", R"({"type":"t"})"}});
  commit();
  EXPECT_TRUE(sent.messages.empty());
}

TEST_F(Tasking, AFollowUpOfAJobWithTheLongestIdHasAnIdOfItsOwn) {
  const std::string id(kMaxDerivedIdBytes, 'x');
  record("acme", R"({"type":"t","id":")" + id + "\"}", {{std::string(kDerivedHeader), "1"}});
  EXPECT_EQ(start(), id);
  end(id, Done{}, {{"", "", R"({"type":"t"})"}, {"", "", R"({"type":"t"})"}});
  EXPECT_EQ(task->counters().succeeded, 1u);
  commit();
  const auto produced = messages("penstock.mail");
  ASSERT_EQ(produced.size(), 2u);
  for (int n = 1; n <= 2; ++n) {
    const auto& message = produced[static_cast<std::size_t>(n - 1)];
    EXPECT_EQ(nlohmann::json::parse(*message.value)["id"], derived_id(id, "/" + std::to_string(n)));
    record(message.key, message.value, {{std::string(kDerivedHeader), "1"}});
  }
  EXPECT_EQ(task->counters().admitted, 3u);
}

TEST_F(Tasking, ABadFollowUpFailsTheAttemptAndNoneIsProduced) {
  const std::vector<FollowUp> bad[] = {
      {{"", "", R"({"type":"t"})"}, {"", "", R"({"typ":"t"})"}},
      {{"", "", R"({"type":"t"})"}, {"unheard", "", R"({"type":"t"})"}},
      {{"", "", R"({"type":"t"})"}, {"", "", "rubbish"}},
      {{"", "", R"({"type":"t","args":")" + std::string(900'000, 'x') + "\"}"},
       {"", "", R"({"type":"t","args":")" + std::string(900'000, 'x') + "\"}"}},
  };
  int number = 0;
  for (const auto& jobs : bad) {
    const std::string id = "a" + std::to_string(number++);
    job("acme", id);
    start();
    end(id, Done{}, jobs);
    EXPECT_EQ(state("acme", id), "retrying");
    EXPECT_NE(why("acme", id).find("enqueue"), std::string::npos) << why("acme", id);
  }
  commit();
  EXPECT_TRUE(sent.messages.empty());
  EXPECT_EQ(task->counters().succeeded, 0u);
}

// -- Events

std::string kinds(const std::vector<FakeEmitter::Message>& events) {
  std::string kinds;
  for (const auto& event : events) {
    kinds += nlohmann::json::parse(*event.value)["event"].get<std::string>() + " ";
  }
  return kinds;
}

void live_a_little(Tasking& at) {
  at.job("acme", "a");
  at.job("acme", "a");
  at.start();
  at.end("a", RetryLater{"no", {}});
  at.clock += 10s + kWallResolution;
  at.start();
  at.end("a");
  at.commit();
}

TEST_F(Tasking, NoEventsWhereTheyAreOff) {
  live_a_little(*this);
  EXPECT_TRUE(messages("penstock.mail.events").empty());
}

TEST_F(Tasking, TerminalEventsTellTheEnds) {
  queue.events = Events::kTerminal;
  live_a_little(*this);
  EXPECT_EQ(kinds(messages("penstock.mail.events")), "duplicate succeeded ");
}

TEST_F(Tasking, AllEventsTellTheWholeStory) {
  queue.events = Events::kAll;
  live_a_little(*this);
  const auto events = messages("penstock.mail.events");
  EXPECT_EQ(kinds(events), "admitted duplicate started retrying started succeeded ");
  const auto last = nlohmann::json::parse(*events.back().value);
  EXPECT_EQ(events.back().key, "acme");
  EXPECT_EQ(last["id"], "a");
  EXPECT_EQ(last["attempt"], 2);
  EXPECT_EQ(last["token"], token("a").text());
  EXPECT_EQ(last["instance"], "me");
}

TEST_F(Tasking, AnEventOfAJobThatNeverRanHasNoToken) {
  queue.events = Events::kTerminal;
  job("acme", "a");
  start();
  end("a");
  job("acme", "b", "\"run_at\":" + ms(1h));
  command("cancel", "acme", "b");
  commit();
  const auto events = messages("penstock.mail.events");
  const auto last = nlohmann::json::parse(*events.back().value);
  EXPECT_EQ(last["event"], "cancelled");
  EXPECT_EQ(last["token"], "");
  EXPECT_EQ(last["attempt"], 0);
}

}  // namespace
}  // namespace penstock
