// The circuit breaker of a type and account: what opens it, who passes, what closes it, and what
// outlives a crash.
#include "tests/consumer/task/task_fixture.h"

namespace penstock {
namespace {

struct Breaking : Tasking {
  Breaking() {
    queue.account_concurrency = 3;
    type("call", {.failures = 3, .probe = 30s});
  }
  void type(const std::string& name, const BreakerPolicy& breaker,
            std::vector<LimitPolicy> limits = {}) {
    TypePolicy policy;
    policy.retry = {.attempts = 20, .backoff = Backoff::kFixed, .base = 1h, .jitter = 0};
    policy.retry.breaker = breaker;
    policy.retry.discard_on = {parse_error_pattern("4xx").value()};
    policy.limits = std::move(limits);
    types.add(name, policy);
  }
  void job_of(const std::string& type, const std::string& account, const std::string& id,
              const std::string& more = "") {
    record(account, R"({"type":")" + type + R"(","id":")" + id + "\"" +
                        (more.empty() ? "" : "," + more) + "}");
  }
  // Jobs of the type "call" by the numbers of their ids.
  void jobs(int from, int to, const std::string& account = "acme") {
    for (int i = from; i <= to; ++i) job_of("call", account, std::to_string(i));
  }
  void fail(const std::string& id, std::string error_class = "503") {
    end(id, RetryLater{"no", std::nullopt, std::move(error_class)});
  }
  // The breaker of acme's calls is open: 0, 1 and 2 have failed, at clock 0; `last` is the last of
  // those that wait.
  void opened(int last = 6) {
    jobs(0, last);
    ASSERT_EQ(start(), "0 1 2");
    for (const char* id : {"0", "1", "2"}) fail(id);
    ASSERT_EQ(start(), "");
  }
  std::string after(Duration wait) {
    clock += wait;
    return start();
  }
};

TEST_F(Breaking, OpensAfterSoManyFailuresInARowAndNotBefore) {
  jobs(0, 5);
  EXPECT_EQ(start(), "0 1 2");
  fail("0");
  EXPECT_EQ(start(), "3");
  fail("1");
  EXPECT_EQ(start(), "4");
  fail("2");
  EXPECT_EQ(start(), "");
  EXPECT_EQ(task->next_time(), base() + 30s);
}

TEST_F(Breaking, ASuccessInBetweenBeginsTheCountAnew) {
  jobs(0, 6);
  start();
  fail("0");
  fail("1");
  end("2");
  EXPECT_EQ(start(), "3 4 5");
  fail("3");
  fail("4");
  EXPECT_EQ(start(), "6");
}

TEST_F(Breaking, OneProbePassesAtATimeAndNotBeforeItsTime) {
  opened();
  EXPECT_EQ(after(30s - 1ms), "");
  EXPECT_EQ(after(1ms), "3");
  EXPECT_EQ(start(), "");
  EXPECT_EQ(after(2min), "");  // it still runs
}

TEST_F(Breaking, AProbeThatFailsWaitsAnotherProbe) {
  opened();
  EXPECT_EQ(after(30s), "3");
  clock += 10s;
  fail("3");
  EXPECT_EQ(after(30s - 1ms), "");
  EXPECT_EQ(after(1ms), "4");
}

TEST_F(Breaking, AProbeThatSucceedsClosesItAndWakesAll) {
  opened(9);
  EXPECT_EQ(after(30s), "3");
  end("3");
  EXPECT_EQ(start(), "4 5 6");
  fail("4");
  fail("5");
  EXPECT_EQ(start(), "7 8");  // and the count begins anew
}

TEST_F(Breaking, AnIterationThatSucceedsClosesIt) {
  opened();
  EXPECT_EQ(after(30s), "3");
  end("3", NextIteration{"{}"});
  EXPECT_EQ(start(), "3 4 5");
}

TEST_F(Breaking, AnAttemptThatBeganBeforeItOpenedClosesItWhenItSucceeds) {
  jobs(0, 7);
  start();
  fail("0");
  fail("1");
  EXPECT_EQ(start(), "3 4");
  fail("3");
  EXPECT_EQ(start(), "");
  end("2");
  EXPECT_EQ(start(), "5 6");
}

TEST_F(Breaking, AnAttemptThatBeganBeforeItOpenedDelaysNoProbeWhenItFails) {
  jobs(0, 7);
  start();
  fail("0");
  fail("1");
  EXPECT_EQ(start(), "3 4");
  fail("3");
  clock += 20s;
  fail("2");
  EXPECT_EQ(after(10s), "5");
  fail("4");
  EXPECT_EQ(start(), "");  // the probe still runs
}

TEST_F(Breaking, WhatIsNoFailureOfWhatTheTypeNeedsDoesNotCount) {
  for (const OutcomeValue& outcome :
       {OutcomeValue(Snooze{1h}), OutcomeValue(CancelJob{"no"}), OutcomeValue(Discard{"no"}),
        OutcomeValue(RetryLater{"no", std::nullopt, "404"})}) {
    const std::string id = "x" + std::to_string(outcome.index());
    job_of("call", "acme", id);
    ASSERT_EQ(start(), id);
    end(id, outcome);
  }
  jobs(0, 5);
  start();
  fail("0");
  end("1", Interrupted{"stops"});
  fail("2");
  EXPECT_EQ(start(), "1 3 4");
  fail("1");
  EXPECT_EQ(start(), "");
}

TEST_F(Breaking, AProbeThatNeitherFailsNorSucceedsLeavesItsPlaceToTheNext) {
  opened();
  EXPECT_EQ(after(30s), "3");
  clock += 10s;
  end("3", Snooze{1h});
  EXPECT_EQ(after(20s - 1ms), "");  // `probe` since it began
  EXPECT_EQ(after(1ms), "4");
  clock += 40s;
  end("4", Discard{"no"});
  EXPECT_EQ(start(), "5");
}

TEST_F(Breaking, ALastAttemptThatFailsCountsToo) {
  TypePolicy policy;
  policy.retry = {.attempts = 1};
  policy.retry.breaker = BreakerPolicy{.failures = 2, .probe = 30s};
  types.add("once", policy);
  for (const char* id : {"a", "b", "c", "d"}) job_of("once", "acme", id);
  start();
  fail("a");
  fail("b");
  EXPECT_EQ(state("acme", "b"), "dead");
  fail("c");
  EXPECT_EQ(start(), "");
}

TEST_F(Breaking, ABatchCountsAsOneAndFailsWhenNothingOfItSucceeds) {
  queue.account_concurrency = 1;
  TypePolicy policy;
  policy.retry = {.attempts = 20, .backoff = Backoff::kFixed, .base = 1h, .jitter = 0};
  policy.retry.breaker = BreakerPolicy{.failures = 2, .probe = 30s};
  policy.batch = BatchPolicy{.max = 2};
  types.add("many", policy);
  for (int i = 0; i < 10; ++i) job_of("many", "acme", "b" + std::to_string(i));
  const OutcomeValue no = RetryLater{"no", std::nullopt, "503"};
  EXPECT_EQ(start(), "b0");
  end_items("b0", Done{}, {no, no});
  EXPECT_EQ(start(), "b2");
  end_items("b2", Done{}, {no, Done{}});
  EXPECT_EQ(start(), "b4");
  end_items("b4", Done{}, {no, Snooze{1h}});
  EXPECT_EQ(start(), "b6");
  end("b6", no);
  EXPECT_EQ(start(), "");
}

TEST_F(Breaking, HoldsBackNeitherOtherAccountsNorOtherTypes) {
  opened();
  type("mail", {.failures = 3, .probe = 30s});
  jobs(10, 10, "bolt");
  job_of("t", "acme", "a");
  job_of("mail", "acme", "b");
  EXPECT_EQ(start(), "10 a b");
}

TEST_F(Breaking, ADueRetryWaitsForItToo) {
  opened(2);
  clock += 20min;
  EXPECT_EQ(start(), "");
  job_of("call", "acme", "3");
  EXPECT_EQ(start(), "3");  // a probe that nobody has waited for
  clock += 40min;
  fail("3");
  EXPECT_EQ(after(kWallResolution), "");  // 0, 1 and 2 are due
  EXPECT_EQ(after(30s), "0");
}

TEST_F(Breaking, AWaitingJobSpendsNoAttempt) {
  opened();
  EXPECT_EQ(after(30s), "3");
  end("3");
  start();
  for (const auto& started : host.starts) EXPECT_EQ(started.attempt, 1);
}

TEST_F(Breaking, AWaitingJobCanBeCancelledAndExpires) {
  opened(3);
  job_of("call", "acme", "4", R"("expires_at":)" + ms(10s));
  job_of("call", "acme", "5");
  start();
  command("cancel", "acme", "3");
  EXPECT_EQ(state("acme", "3"), "(none)");
  EXPECT_EQ(after(20s), "");
  EXPECT_EQ(state("acme", "4"), "(none)");
  EXPECT_EQ(after(10s), "5");
}

TEST_F(Breaking, StrictOrderWaitsBehindWhoeverWaitsForAProbe) {
  queue.order = Order::kStrict;
  queue.account_concurrency = 1;
  type("once", {.failures = 1, .probe = 30s});
  job_of("once", "acme", "a");
  job_of("t", "acme", "b");
  EXPECT_EQ(start(), "a");
  end("a", RetryLater{"no", Duration{1000}, ""});
  EXPECT_EQ(after(10s), "");
  EXPECT_EQ(after(20s), "a");
  end("a");
  EXPECT_EQ(start(), "b");
}

TEST_F(Breaking, AProbeThatFindsNoSlotLeavesItsPlace) {
  type("slots", {.failures = 2, .probe = 30s},
       {{parse_limit_name("crm/{account}").value(), 2, {}, 1}});
  type("other", {}, {{parse_limit_name("crm/{account}").value(), 2, {}, 1}});
  for (const char* id : {"a", "b", "c"}) job_of("slots", "acme", id);
  EXPECT_EQ(start(), "a b");
  fail("a");
  fail("b");
  for (const char* id : {"x", "y"}) job_of("other", "acme", id);
  EXPECT_EQ(start(), "x y");
  EXPECT_EQ(after(30s), "");
  EXPECT_TRUE(why("acme", "c").starts_with("waits for the limit \"crm/acme\"")) << why("acme", "c");
  end("x");
  EXPECT_EQ(start(), "c");
}

TEST_F(Breaking, AnInstantAttemptIsCountedLikeAnyOther) {
  opened();
  host.instant = true;
  EXPECT_EQ(after(30s), "3 4 5 6");
}

TEST_F(Breaking, WhySaysSinceWhenAfterHowManyAndWhenTheNextProbeIs) {
  opened();
  const std::string open =
      "the breaker of the type \"call\" for the account \"acme\": it is open since "
      "2027-01-15T08:00:00.000Z, "
      "after 3 failures in a row; ";
  EXPECT_EQ(why("acme", "3"),
            "waits for " + open + "the next probe is at 2027-01-15T08:00:30.000Z");
  EXPECT_EQ(why("acme", "5"), "waits behind \"3\", which waits for " + open +
                                  "the next probe is at 2027-01-15T08:00:30.000Z");
  EXPECT_EQ(after(30s), "3");
  EXPECT_EQ(why("acme", "4"), "waits for " + open + "\"3\" runs as its probe");
}

// -- What outlives the process

TEST_F(Breaking, StaysOpenAcrossARestart) {
  opened();
  commit();
  EXPECT_EQ(rows_of('c'), 1u);
  clock += 10s;
  restart();
  EXPECT_EQ(start(), "");
  EXPECT_EQ(after(20s - 1ms), "");
  EXPECT_EQ(after(1ms), "3");
}

TEST_F(Breaking, AProbeThatDiedWithItsProcessIsFollowedByTheNext) {
  opened();
  EXPECT_EQ(after(30s), "3");
  commit();
  restart();
  EXPECT_EQ(start(), "");
  EXPECT_EQ(after(30s), "3");
}

TEST_F(Breaking, ARestartKeepsMoreThanHalfOfTheCount) {
  type("many", {.failures = 8, .probe = 30s});
  for (int i = 0; i < 9; ++i) job_of("many", "acme", "m" + std::to_string(i));
  for (int i = 0; i < 7; ++i) {
    start();
    fail("m" + std::to_string(i));
    commit();
  }
  restart();  // 4 of the 7 are known
  ASSERT_EQ(start(), "m7 m8");
  job_of("many", "acme", "m9");
  job_of("many", "acme", "n");
  job_of("many", "acme", "o");
  for (const char* id : {"m7", "m8"}) fail(id);
  EXPECT_EQ(start(), "m9 n o");
  fail("m9");
  job_of("many", "acme", "p");
  EXPECT_EQ(start(), "p");
  fail("n");
  job_of("many", "acme", "q");
  EXPECT_EQ(start(), "");
}

TEST_F(Breaking, WhatFailsNowAndThenWritesNothing) {
  jobs(0, 9);
  start();
  fail("0");
  commit();
  EXPECT_EQ(rows_of('c'), 0u);
  end("1");
  commit();
  EXPECT_EQ(rows_of('c'), 0u);
}

TEST_F(Breaking, ClosingItLeavesNoRow) {
  opened();
  commit();
  EXPECT_EQ(rows_of('c'), 1u);
  EXPECT_EQ(after(30s), "3");
  commit();
  end("3");
  commit();
  EXPECT_EQ(rows_of('c'), 0u);
  restart();
  EXPECT_EQ(start(), "4 5 6");
}

TEST_F(Breaking, OpenedAndClosedWithinOneCommitLeavesNoRow) {
  opened();
  EXPECT_EQ(after(30s), "3");
  end("3");
  commit();
  EXPECT_EQ(rows_of('c'), 0u);
}

TEST_F(Breaking, OneThatNobodyComesToIsForgotten) {
  TypePolicy policy;
  policy.retry = {.attempts = 1};
  policy.retry.breaker = BreakerPolicy{.failures = 1, .probe = 30s};
  policy.keep_dead = 0s;
  types.add("once", policy);
  job_of("once", "acme", "a");
  start();
  fail("a");
  commit();
  EXPECT_EQ(rows_of('c'), 1u);
  clock += Breaker::kOpenKept;
  start();
  commit();
  EXPECT_EQ(rows_of('c'), 1u);
  clock += 31s;
  start();
  commit();
  EXPECT_EQ(rows_of('c'), 0u);
}

TEST_F(Breaking, OneThatSomebodyWaitsAtIsNotForgotten) {
  type("slow", {.failures = 1, .probe = Duration{std::chrono::hours{24 * 7}}});
  job_of("slow", "acme", "a");
  job_of("slow", "acme", "b");
  start();
  fail("a");
  start();
  commit();
  clock += Breaker::kOpenKept * 3;
  start();
  commit();
  EXPECT_EQ(rows_of('c'), 1u);
  EXPECT_EQ(start(), "");
}

TEST_F(Breaking, OfATypeThatHasNoneAnyMoreTheRowIsErased) {
  opened();
  commit();
  TypePolicy policy;
  policy.retry = {.attempts = 20, .backoff = Backoff::kFixed, .base = 1h, .jitter = 0};
  types.add("call", policy);
  restart();
  EXPECT_EQ(start(), "3 4 5");
  commit();
  EXPECT_EQ(rows_of('c'), 0u);
}

TEST_F(Breaking, WhoComesWhenThereAreTheMostIsNotStoppedAndCountedUntilSomeAreForgotten) {
  make();
  const Time at = base();
  Breaker one("call", "any", {.failures = 3, .probe = 30s}, at);
  one.failed(1);
  one.failed(2);
  for (std::size_t i = 0; i < Breakers::kMost; ++i)
    view->put(keys::breaker("other-" + std::to_string(i), "call"), *one.row());
  commit();
  restart();
  jobs(10, 13);
  EXPECT_EQ(start(), "10 11 12");
  for (const char* id : {"10", "11", "12"}) fail(id);
  EXPECT_EQ(start(), "13");
  EXPECT_EQ(task->counters().uncounted_failures, 3u);
  end("13");
  jobs(20, 23, "other-7");
  EXPECT_EQ(start(), "20 21 22");
  fail("20");
  EXPECT_EQ(start(), "") << "it is one of the most";
  EXPECT_EQ(task->counters().uncounted_failures, 3u);
  clock += Breaker::kCountKept + 1s;
  start();
  ASSERT_EQ(state("acme", "12"), "running") << "its retry is due";
  for (const char* id : {"10", "11", "12"}) fail(id);
  jobs(14, 14);
  EXPECT_EQ(start(), "");
  EXPECT_EQ(task->counters().uncounted_failures, 3u);
}

TEST_F(Breaking, AShorterProbeIsInForceAtOnce) {
  opened();
  commit();
  type("call", {.failures = 3, .probe = 5s});
  restart();
  EXPECT_EQ(start(), "");
  EXPECT_EQ(after(5s), "3");
}

}  // namespace
}  // namespace penstock
