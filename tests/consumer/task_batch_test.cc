// Batches: what is collected and how long, what is handed over together, and what comes of each item.
#include "state/log_entry.h"
#include "tests/consumer/task_fixture.h"

namespace penstock {
namespace {

struct Batching : Tasking {
  void type(const std::string& name, BatchPolicy batch, std::vector<LimitPolicy> limits = {}) {
    TypePolicy policy;
    policy.retry = {.attempts = 3, .backoff = Backoff::kFixed, .base = 10s, .jitter = 0};
    policy.keep_succeeded = 1h;
    policy.batch = batch;
    policy.limits = std::move(limits);
    types.add(name, policy);
  }
  void item(const std::string& id, const std::string& more = "", const std::string& account = "acme",
            const std::string& type = "b") {
    record(account, R"({"type":")" + type + R"(","id":")" + id + "\"" + (more.empty() ? "" : "," + more) + "}");
  }
  void items(int from, int to, const std::string& more = "") {
    for (int i = from; i <= to; ++i) item(std::to_string(i), more);
  }
  // Of what is started now, the items of each attempt: "a b | c".
  std::string hand_over() {
    const std::size_t before = host.starts.size();
    (void)start();
    std::string text;
    for (std::size_t i = before; i < host.starts.size(); ++i) {
      if (i > before) text += " | ";
      std::string ids;
      for (const AttemptItem& one : host.starts[i].items) ids += (ids.empty() ? "" : " ") + one.id;
      text += ids;
    }
    return text;
  }
  [[nodiscard]] int attempt(const std::string& id) { return task->find("acme", id, now())->row.attempt; }
  [[nodiscard]] std::string reason(const std::string& id) { return task->find("acme", id, now())->row.reason; }
};

constexpr auto kNo = std::nullopt;

TEST_F(Batching, JobsOfOneTypeAndAccountAreHandedOverTogether) {
  type("b", {});
  item("a");
  item("b");
  item("other", "", "bolt");
  job("acme", "t");
  EXPECT_EQ(start(), "a other");
  EXPECT_EQ(host.starts[0].items.size(), 2u);
  EXPECT_EQ(host.starts[0].items[1].id, "b");
  EXPECT_EQ(host.starts[1].items.size(), 1u);
  end("a");
  EXPECT_EQ(state("acme", "a"), "succeeded");
  EXPECT_EQ(state("acme", "b"), "succeeded");
  EXPECT_EQ(start(), "t");
  EXPECT_TRUE(host.starts.back().items.empty()) << "its type has no batches";
}

TEST_F(Batching, EachItemHasItsOwnArgumentsAttemptAndHeaders) {
  type("b", {});
  record("acme", R"({"type":"b","id":"a","args":{"n":1}})", {{"traceparent", "x"}});
  item("b", R"("args":{"n":2})");
  EXPECT_EQ(hand_over(), "a b");
  const auto& items = host.starts.back().items;
  EXPECT_EQ(items[0].args, R"({"n":1})");
  EXPECT_EQ(items[1].args, R"({"n":2})");
  ASSERT_EQ(items[0].headers.size(), 1u);
  EXPECT_EQ(items[0].headers[0].value, "x");
  EXPECT_TRUE(items[1].headers.empty());
  end_items("a", Done{}, {kNo, RetryLater{"no"}});
  clock = 11s;
  item("c");
  EXPECT_EQ(hand_over(), "b c");
  EXPECT_EQ(host.starts.back().items[0].attempt, 2);
  EXPECT_EQ(host.starts.back().items[1].attempt, 1);
}

TEST_F(Batching, NoMoreThanMaxAreHandedOver) {
  type("b", {.max = 3});
  items(1, 7);
  EXPECT_EQ(hand_over(), "1 2 3");
  end("1");
  EXPECT_EQ(hand_over(), "4 5 6");
  end("4");
  EXPECT_EQ(hand_over(), "7");
}

TEST_F(Batching, AHandOverThatIsTooLargeForOneCommitIsCut) {
  type("b", {.max = 100});
  const std::string large = R"("args":")" + std::string(500'000, 'x') + "\"";
  items(1, 5, large);
  commit();
  feed();
  std::size_t handed_over = 0;
  for (int i = 0; i < 5 && handed_over < 5; ++i) {
    (void)hand_over();
    const std::size_t count = host.starts.back().items.size();
    EXPECT_LE(count, 3u);
    handed_over += count;
    end(host.starts.back().id);
    commit();
  }
  EXPECT_EQ(handed_over, 5u);
}

TEST_F(Batching, TheDelayIsWaitedAfterTheLastArrival) {
  type("b", {.delay = 1s});
  item("a");
  EXPECT_EQ(hand_over(), "");
  clock = 900ms;
  item("b");
  EXPECT_EQ(hand_over(), "");
  clock = 1800ms;
  EXPECT_EQ(hand_over(), "");
  EXPECT_EQ(*task->next_time(), base() + 1900ms);
  clock = 1900ms;
  EXPECT_EQ(hand_over(), "a b");
}

TEST_F(Batching, ASteadyStreamPostponesNoLongerThanTenDelays) {
  type("b", {.max = 1000, .delay = 1s});
  int n = 0;
  for (; clock < 10s; clock += 500ms) {
    item(std::to_string(n++));
    EXPECT_EQ(hand_over(), "") << clock.count();
  }
  EXPECT_NE(hand_over(), "");
  EXPECT_EQ(host.starts.back().items.size(), static_cast<std::size_t>(n));
}

TEST_F(Batching, AFullBatchDoesNotWait) {
  type("b", {.max = 3, .delay = 1h});
  items(1, 2);
  EXPECT_EQ(hand_over(), "");
  item("3");
  EXPECT_EQ(hand_over(), "1 2 3");
}

TEST_F(Batching, UnderSetEqualArgumentsFillNothing) {
  type("b", {.max = 2, .collect = Collect::kSet, .delay = 1s});
  items(1, 5, R"("args":{"x":1})");
  EXPECT_EQ(hand_over(), "");
  item("6", R"("args":{"x":2})");
  EXPECT_EQ(hand_over(), "1 6");
}

TEST_F(Batching, AScheduledJobComesAtItsTime) {
  type("b", {.delay = 1s});
  item("later", "\"run_at\":" + ms(5s));
  item("now");
  clock = 1s;
  EXPECT_EQ(hand_over(), "now");
  end("now");
  clock = 5s;
  EXPECT_EQ(hand_over(), "");
  clock = 6s;
  EXPECT_EQ(hand_over(), "later");
}

TEST_F(Batching, OtherTypesGoOnWhileABatchIsCollected) {
  type("b", {.delay = 1s});
  item("a");
  job("acme", "t");
  EXPECT_EQ(start(), "t");
}

TEST_F(Batching, WhatArrivesDuringTheAttemptWaitsForTheNext) {
  queue.account_concurrency = 5;
  type("b", {});
  items(1, 2);
  EXPECT_EQ(hand_over(), "1 2");
  items(3, 4);
  job("acme", "t");
  EXPECT_EQ(start(), "t") << "an attempt of another type may run beside it";
  EXPECT_EQ(why("acme", "4"), "waits for the batch that runs, in a batch of 2 jobs of which \"1\" is the first");
  end("1");
  EXPECT_EQ(hand_over(), "3 4");
}

TEST_F(Batching, ABatchIsOneAttemptOfItsAccount) {
  type("b", {});
  items(1, 3);
  job("acme", "t");
  EXPECT_EQ(start(), "1");
  EXPECT_EQ(start(), "");
  EXPECT_EQ(task->running(), 1u);
  EXPECT_EQ(state("acme", "3"), "running");
  end("1");
  EXPECT_EQ(start(), "t");
}

TEST_F(Batching, ALateOutcomeChangesNothing) {
  type("b", {});
  items(1, 2);
  (void)hand_over();
  const Token first = token("1");
  end("1", Interrupted{"stopped"});
  EXPECT_EQ(hand_over(), "1 2");
  task->attempt_ended(first, {Done{}, {}}, now());
  EXPECT_EQ(state("acme", "2"), "running");
  EXPECT_GT(token("1"), first);
}

// -- Sets

TEST_F(Batching, UnderSetEqualArgumentsAreHandedOverOnce) {
  type("b", {.collect = Collect::kSet});
  item("a", R"("args":{"x":1,"y":[2]})");
  item("b", R"("args":{"x":2})");
  item("c", R"("args":{ "y":[2.0], "x":1})");
  item("d");
  EXPECT_EQ(hand_over(), "a b d");
  EXPECT_EQ(state("acme", "c"), "running");
  end("a");
  EXPECT_EQ(state("acme", "c"), "succeeded");
  EXPECT_EQ(reason("c"), "\"a\" stood for it");
  EXPECT_EQ(reason("b"), "");
  EXPECT_EQ(task->counters().succeeded, 4u);
}

TEST_F(Batching, FoldedJobsShareTheOutcomeOfTheOneThatStandsForThem) {
  type("b", {.collect = Collect::kSet});
  items(1, 2);
  item("3", R"("args":{"x":1})");
  item("4", R"("args":{"x":1})");
  EXPECT_EQ(hand_over(), "1 3");
  end_items("1", Done{}, {RetryLater{"no"}, Discard{"never"}});
  EXPECT_EQ(state("acme", "1"), "retrying");
  EXPECT_EQ(state("acme", "2"), "retrying");
  EXPECT_EQ(state("acme", "4"), "dead");
  EXPECT_EQ(reason("4"), "discarded: with \"3\", which stood for it: never");
  clock = 11s;
  EXPECT_EQ(hand_over(), "1");
  end("1", RetryLater{"no"});
  clock = 22s;
  EXPECT_EQ(hand_over(), "1");
  EXPECT_EQ(attempt("2"), 3);
  end("1", CancelJob{"gone"});
  EXPECT_EQ(state("acme", "2"), "(none)");
}

TEST_F(Batching, WhoHasStoodToTheLastAttemptTakesTheFoldedAlong) {
  type("b", {.collect = Collect::kSet});
  item("1");
  for (int i = 0; i < 2; ++i) {
    (void)hand_over();
    end_items("1", Done{}, {RetryLater{"no"}});
    clock += 11s;
  }
  item("2");
  EXPECT_EQ(hand_over(), "1");
  end("1", RetryLater{"no"});
  EXPECT_EQ(state("acme", "1"), "dead");
  EXPECT_EQ(state("acme", "2"), "dead");
  EXPECT_EQ(reason("2"), "attempts_exhausted: with \"1\", which stood for it: no");
}

// -- Outcomes

TEST_F(Batching, WithoutAnswersOfTheirOwnAllShareTheOutcome) {
  type("b", {});
  items(1, 2);
  (void)hand_over();
  end("1", Discard{"never"});
  EXPECT_EQ(state("acme", "1"), "dead");
  EXPECT_EQ(state("acme", "2"), "dead");
  commit();
  EXPECT_EQ(dead().size(), 2u);
}

TEST_F(Batching, AnItemsOwnAnswerGoesOverTheAttempts) {
  type("b", {});
  items(1, 6);
  (void)hand_over();
  end_items("1", Done{}, {kNo, RetryLater{"busy", Duration(3s)}, Discard{"never"}, Snooze{5s}, CancelJob{"gone"}, kNo});
  EXPECT_EQ(state("acme", "1"), "succeeded");
  EXPECT_EQ(state("acme", "2"), "retrying");
  EXPECT_EQ(state("acme", "3"), "dead");
  EXPECT_EQ(state("acme", "4"), "scheduled");
  EXPECT_EQ(state("acme", "5"), "(none)");
  EXPECT_EQ(state("acme", "6"), "succeeded");
  clock = 3001ms;
  EXPECT_EQ(hand_over(), "2");
  EXPECT_EQ(attempt("2"), 2);
  end("2");
  clock = 5001ms;
  EXPECT_EQ(hand_over(), "4");
  EXPECT_EQ(attempt("4"), 1);
}

TEST_F(Batching, AFailedBatchIsRetriedWholeAndWithNoOthers) {
  type("b", {});
  items(1, 3);
  (void)hand_over();
  end("1", RetryLater{"no"});
  EXPECT_EQ(state("acme", "2"), "retrying");
  EXPECT_EQ(attempt("2"), 2);
  clock = 10001ms;
  item("4");
  EXPECT_EQ(hand_over(), "1 2 3");
  end("1");
  EXPECT_EQ(hand_over(), "4");
}

TEST_F(Batching, NoItemStartsBeforeItsOwnBackoffEnds) {
  TypePolicy policy;
  policy.retry = {.attempts = 9, .backoff = Backoff::kExponential, .base = 10s, .factor = 2, .max = 1h, .jitter = 0};
  policy.batch = BatchPolicy{};
  types.add("b", policy);
  item("1");
  (void)hand_over();
  end_items("1", Done{}, {RetryLater{"no"}});
  clock = 10001ms;
  item("2");
  EXPECT_EQ(hand_over(), "1 2");
  end("1", RetryLater{"no"});
  clock = 30s;
  EXPECT_EQ(hand_over(), "") << "the second could, the first could not";
  clock = 30002ms;
  EXPECT_EQ(hand_over(), "1 2");
}

TEST_F(Batching, EachItemDiesAfterItsOwnLastAttempt) {
  type("b", {});
  item("1");
  (void)hand_over();
  end_items("1", Done{}, {RetryLater{"no"}});
  clock = 11s;
  item("2");
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(hand_over(), "1 2");
    end("1", RetryLater{"no"});
    clock += 11s;
  }
  EXPECT_EQ(state("acme", "1"), "dead");
  EXPECT_EQ(state("acme", "2"), "retrying");
  EXPECT_EQ(hand_over(), "2");
}

TEST_F(Batching, SplitIsolatesThePoisonItem) {
  type("b", {.on_error = OnBatchError::kSplit});
  items(1, 5);
  std::string order;
  for (int i = 0; i < 40 && order.size() < 200; ++i) {
    const std::string handed_over = hand_over();
    if (handed_over.empty()) {
      clock += 1s;
      continue;
    }
    order += handed_over + ";";
    const bool poison = handed_over.find('2') != std::string::npos;
    end(host.starts.back().id, poison ? OutcomeValue(RetryLater{"poison"}) : OutcomeValue(Done{}));
  }
  EXPECT_EQ(order, "1 2 3 4 5;1 2 3;4 5;1 2;3;1;2;");
  for (const char* const id : {"1", "3", "4", "5"}) EXPECT_EQ(state("acme", id), "succeeded");
  EXPECT_EQ(attempt("2"), 2) << "only the attempt that it failed alone was spent";
  clock += 11s;
  item("6");
  EXPECT_EQ(hand_over(), "2") << "it stays alone";
  end("2", RetryLater{"poison"});
  EXPECT_EQ(hand_over(), "6");
  end("6");
  clock += 11s;
  EXPECT_EQ(hand_over(), "2");
  end("2", RetryLater{"poison"});
  EXPECT_EQ(state("acme", "2"), "dead");
}

TEST_F(Batching, ItemsWithAnswersOfTheirOwnAreNoPartOfTheSplit) {
  type("b", {.on_error = OnBatchError::kSplit});
  items(1, 3);
  (void)hand_over();
  end_items("1", RetryLater{"no"}, {kNo, Done{}, kNo});
  EXPECT_EQ(state("acme", "2"), "succeeded");
  clock = 11s;
  EXPECT_EQ(hand_over(), "1");
  end("1");
  EXPECT_EQ(hand_over(), "3");
}

TEST_F(Batching, FollowUpsComeWithTheOutcomeAndNotOnARetry) {
  type("b", {});
  items(1, 2);
  (void)hand_over();
  end("1", RetryLater{"no"}, {{"", "", R"({"type":"t"})"}});
  clock = 11s;
  (void)hand_over();
  end("1", Done{}, {{"", "", R"({"type":"t"})"}});
  commit();
  const auto produced = messages("penstock.mail");
  ASSERT_EQ(produced.size(), 1u);
  EXPECT_NE(produced[0].value->find(R"("id":"1/1")"), std::string::npos);
}

TEST_F(Batching, TheLargestBatchOfDeadJobsFitsIntoACommit) {
  type("b", {.max = kMaxBatch});
  items(1, kMaxBatch, R"("args":{"some":"thing of a usual length, or about so"})");
  while (task->input_next().value < static_cast<std::int64_t>(input.size())) {
    commit();
    feed();
  }
  commit();
  (void)hand_over();
  ASSERT_GT(host.starts.back().items.size(), 2000u);
  end("1", Discard{std::string(5000, 'r')});
  EXPECT_LT(task->unsaved_bytes(), kMaxCommitRows - Task::kMaxUnsavedBytes - kMaxFollowUpBytes);
  commit();
}

// -- Cursors

TEST_F(Batching, ACursorKeepsItsBatchTogether) {
  type("b", {});
  items(1, 2);
  (void)hand_over();
  end("1", NextIteration{R"({"at":1})"});
  item("3");
  EXPECT_EQ(hand_over(), "1 2");
  EXPECT_EQ(host.starts.back().cursor, R"({"at":1})");
  commit();
  restart();
  EXPECT_EQ(hand_over(), "1 2");
  EXPECT_EQ(host.starts.back().cursor, R"({"at":1})");
  end("1");
  EXPECT_EQ(hand_over(), "3");
}

TEST_F(Batching, ACheckpointIsGoneOnFromWithTheSameItems) {
  type("b", {});
  items(1, 2);
  (void)hand_over();
  task->checkpoint(token("1"), "7", now());
  commit();
  item("3");
  restart();
  EXPECT_EQ(hand_over(), "1 2");
  EXPECT_EQ(host.starts.back().cursor, "7");
}

TEST_F(Batching, AnItemWithAnAnswerOfItsOwnLeavesTheIteration) {
  type("b", {});
  items(1, 3);
  (void)hand_over();
  end_items("1", NextIteration{"5"}, {Done{}, kNo, kNo});
  EXPECT_EQ(state("acme", "1"), "succeeded");
  EXPECT_EQ(hand_over(), "2 3");
  EXPECT_EQ(host.starts.back().cursor, "5");
}

// -- Commands, times, crashes

TEST_F(Batching, ACancelledItemIsNotHandedOver) {
  type("b", {.delay = 1s});
  items(1, 3);
  EXPECT_EQ(hand_over(), "");
  command("cancel", "acme", "2");
  command("cancel", "acme", "1");
  EXPECT_EQ(state("acme", "1"), "(none)");
  clock = 1s;
  EXPECT_EQ(hand_over(), "3");
}

TEST_F(Batching, ACancelOfARunningItemLeavesTheOthers) {
  type("b", {});
  items(1, 3);
  (void)hand_over();
  command("cancel", "acme", "2");
  EXPECT_TRUE(host.stops.empty());
  end("1", RetryLater{"no"});
  EXPECT_EQ(state("acme", "2"), "(none)");
  EXPECT_EQ(task->counters().cancelled, 1u);
  clock = 11s;
  EXPECT_EQ(hand_over(), "1 3");
  command("cancel", "acme", "3");
  command("cancel", "acme", "1");
  ASSERT_EQ(host.stops.size(), 1u) << "all of them are cancelled now";
  end("1", Interrupted{"stopped"});
  EXPECT_EQ(task->counters().cancelled, 3u);
  EXPECT_EQ(task->live_jobs(), 0u);
}

TEST_F(Batching, AnItemThatExpiresWhileItIsCollectedIsNotHandedOver) {
  type("b", {.delay = 1s});
  item("1", "\"expires_at\":" + ms(500ms));
  clock = 100ms;
  item("2");
  EXPECT_EQ(hand_over(), "");
  clock = 1100ms;
  EXPECT_EQ(hand_over(), "2");
  EXPECT_EQ(task->counters().expired, 1u);
}

TEST_F(Batching, AnItemThatHasStartedDoesNotExpire) {
  type("b", {});
  item("1");
  item("2", "\"expires_at\":" + ms(1s));
  (void)hand_over();
  commit();
  clock = 2s;
  task->advance(now());
  end("1", Interrupted{"stopped"});
  EXPECT_EQ(hand_over(), "1 2");
}

TEST_F(Batching, AWorkersEndHandsOverNothingTwiceAndLosesNothing) {
  type("b", {});
  items(1, 2);
  (void)hand_over();
  item("3");
  commit();
  item("4");
  restart();
  EXPECT_EQ(hand_over(), "1 2 3 4");
  end("1");
  commit();
  restart();
  EXPECT_EQ(hand_over(), "");
  for (const char* const id : {"1", "2", "3", "4"}) EXPECT_EQ(state("acme", id), "succeeded");
}

TEST_F(Batching, ARestartGoesOnCollectingAsBefore) {
  type("b", {.max = 1000, .delay = 1s});
  item("1");
  clock = 800ms;
  item("2");
  EXPECT_EQ(hand_over(), "");
  commit();
  restart();
  EXPECT_EQ(hand_over(), "");
  clock = 1799ms;
  EXPECT_EQ(hand_over(), "");
  clock = 1800ms;
  EXPECT_EQ(hand_over(), "1 2");
}

TEST_F(Batching, InterruptionSpendsNoAttempt) {
  type("b", {});
  items(1, 2);
  (void)hand_over();
  task->ask_all_to_stop();
  EXPECT_EQ(host.stops.size(), 1u);
  end("1", Interrupted{"stopped"});
  item("3");
  EXPECT_EQ(hand_over(), "1 2 3");
  EXPECT_EQ(attempt("2"), 1);
}

TEST_F(Batching, AJobThatMayKillItsWorkerRunsAlone) {
  type("b", {});
  items(1, 4);
  const auto died_with = [&](const std::string& id) { record("acme", id, {{std::string(kCrashHeader), "1"}}); };
  for (int i = 0; i < 2; ++i) {
    died_with("2");
    died_with("3");
  }
  EXPECT_EQ(hand_over(), "1 4");
  end("1");
  EXPECT_EQ(hand_over(), "2");
  died_with("2");
  end("2", Interrupted{"killed"});
  EXPECT_EQ(hand_over(), "3");
  end("3");
  EXPECT_EQ(hand_over(), "");
  EXPECT_EQ(state("acme", "2"), "dead");
}

TEST_F(Batching, AnItemThatWasInFlightAtADeathWaitsForItsNotice) {
  type("b", {});
  items(1, 3);
  host.notices["2"] = Offset{3};
  EXPECT_EQ(hand_over(), "1 3");
  end("1");
  record("acme", "2", {{std::string(kCrashHeader), "1"}});
  clock = 1s;
  EXPECT_EQ(hand_over(), "2");
}

// -- Beside other rules

TEST_F(Batching, ABatchTakesOneSlotOfEachLimit) {
  type("b", {}, {{parse_limit_name("crm/{account}").value(), 1}});
  queue.account_concurrency = 5;
  items(1, 3);
  EXPECT_EQ(hand_over(), "1 2 3");
  end("1");
  items(4, 5);
  EXPECT_EQ(hand_over(), "4 5");
}

TEST_F(Batching, ItemsThatNeedOtherLimitsWaitForABatchOfTheirOwn) {
  type("b", {}, {{parse_limit_name("{account}/{args/host}").value(), 1}});
  item("1", R"("args":{"host":"x"})");
  item("2", R"("args":{"host":"y"})");
  item("3", R"("args":{"host":"x"})");
  EXPECT_EQ(hand_over(), "1 3");
  end("1");
  EXPECT_EQ(hand_over(), "2");
}

TEST_F(Batching, NoTwoJobsOfAKeyThatMayNotRunAtOnceAreInOneBatch) {
  TypePolicy policy;
  policy.batch = BatchPolicy{};
  policy.unique = UniquePolicy{{parse_json_pointer("/k").value()}, UniqueScope::kRunning, OnConflict::kDrop, {}};
  types.add("b", policy);
  for (const char* const id : {"1a", "1b", "2a"}) item(id, R"("args":{"k":)" + std::string(1, id[0]) + "}");
  EXPECT_EQ(hand_over(), "1a 2a");
  end("1a");
  EXPECT_EQ(hand_over(), "1b");
}

TEST_F(Batching, EachItemHoldsItsLockUntilItEnds) {
  TypePolicy policy;
  policy.retry = {.attempts = 3, .backoff = Backoff::kFixed, .base = 10s, .jitter = 0};
  policy.batch = BatchPolicy{.on_error = OnBatchError::kSplit};
  policy.unique =
      UniquePolicy{{parse_json_pointer("/k").value()}, UniqueScope::kQueuedAndRunning, OnConflict::kDrop, {}};
  types.add("b", policy);
  const auto key = [](int k) { return R"("args":{"k":)" + std::to_string(k) + "}"; };
  item("1", key(1));
  item("2", key(2));
  EXPECT_EQ(hand_over(), "1 2");
  item("1b", key(1));
  item("2b", key(2));
  EXPECT_EQ(task->counters().duplicate, 2u);
  end("1", RetryLater{"no"});
  item("2c", key(2));
  EXPECT_EQ(task->counters().duplicate, 2u) << "while it waits for its retry the lock is free";
  EXPECT_EQ(hand_over(), "2c");
}

TEST_F(Batching, ArgumentsThatAreReplacedWhileTheyAreCollectedAreComparedAnew) {
  TypePolicy policy;
  policy.batch = BatchPolicy{.collect = Collect::kSet, .delay = 1s};
  policy.unique = UniquePolicy{{parse_json_pointer("/k").value()}, UniqueScope::kQueued, OnConflict::kReplace, {}};
  types.add("b", policy);
  item("1", R"("args":{"k":1,"v":1})");
  item("2", R"("args":{"k":2,"v":1})");
  EXPECT_EQ(hand_over(), "");
  item("1b", R"("args":{"k":1,"v":2})");
  EXPECT_EQ(task->counters().duplicate, 1u);
  clock = 1s;
  EXPECT_EQ(hand_over(), "1 2");
  EXPECT_EQ(host.starts.back().items[0].args, R"({"k":1,"v":2})");
}

TEST_F(Batching, StrictOrderEndsABatchBeforeAnotherType) {
  queue.order = Order::kStrict;
  type("b", {.delay = 1s});
  items(1, 2);
  job("acme", "t");
  items(3, 3);
  EXPECT_EQ(hand_over(), "1 2") << "nothing that comes can join it";
  end("1", RetryLater{"no"});
  EXPECT_EQ(start(), "");
  clock = 11s;
  EXPECT_EQ(hand_over(), "1 2");
  end("1");
  EXPECT_EQ(start(), "t");
  end("t");
  EXPECT_EQ(hand_over(), "3");
}

TEST_F(Batching, ReadyOrderIsTheOrderOfTheItems) {
  queue.order = Order::kReady;
  type("b", {});
  clock = 5s;
  item("1");
  item("2", "\"run_at\":" + ms(1s));
  EXPECT_EQ(hand_over(), "2 1");
}

TEST_F(Batching, BulksCountEachItem) {
  type("b", {});
  for (int i = 0; i < 3; ++i) {
    item("c" + std::to_string(i), R"("bulk":{"id":"k","index":)" + std::to_string(i) +
                                      R"(,"size":3,"on_done":{"type":"t"}})");
  }
  EXPECT_EQ(hand_over(), "c0 c1 c2");
  std::size_t running = 0;
  (void)task->walk_bulks("", "acme", 10, [&](const Task::BulkProgress& bulk) { running = bulk.running; });
  EXPECT_EQ(running, 3u);
  end_items("c0", Done{}, {kNo, Discard{"no"}, kNo});
  commit();
  const auto produced = messages("penstock.mail");
  ASSERT_EQ(produced.size(), 1u);
  EXPECT_NE(produced[0].value->find(R"("succeeded":2,"dead":1)"), std::string::npos) << *produced[0].value;
}

TEST_F(Batching, UnderFairABatchIsOfOneBulk) {
  queue.order = Order::kFair;
  type("b", {});
  for (const char* const bulk : {"k", "l"}) {
    for (int i = 0; i < 2; ++i) {
      item(bulk + std::to_string(i),
           R"("bulk":{"id":")" + std::string(bulk) + R"(","index":)" + std::to_string(i) + R"(,"size":2})");
    }
  }
  item("alone");
  std::vector<std::string> handed_over;
  for (int i = 0; i < 3; ++i) {
    handed_over.push_back(hand_over());
    end(host.starts.back().id);
  }
  std::sort(handed_over.begin(), handed_over.end());
  EXPECT_EQ(handed_over, (std::vector<std::string>{"alone", "k0 k1", "l0 l1"}));
}

TEST_F(Batching, ALineThatIsLongerThanMemoryIsHandedOverInOrder) {
  type("b", {.max = 250, .delay = 1s});
  for (int i = 1; i <= 600; ++i) {
    item(std::to_string(i));
    if (i % 100 == 0) {
      (void)task->start_ready(0, now());
      commit();
    }
  }
  std::vector<int> order;
  for (int round = 0; round < 3; ++round) {
    (void)hand_over();
    ASSERT_FALSE(host.starts.empty());
    for (const AttemptItem& one : host.starts.back().items) order.push_back(std::stoi(one.id));
    if (round == 0) {
      EXPECT_EQ(all_jobs().size(), 600u);
    }
    end(host.starts.back().id);
    commit();
    clock += 1s;
  }
  ASSERT_EQ(order.size(), 600u);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

TEST_F(Batching, ATargetSizesTheHandOverFromTheMeasuredTimeOfAnItem) {
  type("b", {.max = 100, .target = 5s});
  items(1, 500);
  std::vector<std::size_t> sizes;
  for (int i = 0; i < 9; ++i) {
    (void)hand_over();
    sizes.push_back(host.starts.back().items.size());
    end_items(host.starts.back().id, Done{}, {}, std::chrono::milliseconds(100 * sizes.back()));
  }
  EXPECT_EQ(sizes, (std::vector<std::size_t>{1, 2, 4, 8, 16, 32, 50, 50, 50}));
}

TEST_F(Batching, WhyTellsUntilWhenABatchIsCollected) {
  type("b", {.delay = 1s});
  items(1, 2);
  (void)hand_over();
  EXPECT_EQ(state("acme", "1"), "waiting");
  EXPECT_EQ(why("acme", "1"), "its batch is collecting until 2027-01-15T08:00:01.000Z (2 jobs so far)");
  EXPECT_EQ(why("acme", "2"), why("acme", "1"));
  clock = 1s;
  (void)hand_over();
  EXPECT_EQ(why("acme", "2"),
            "attempt 1 runs since 2027-01-15T08:00:01.000Z, in a batch of 2 jobs of which \"1\" is the first");
}

TEST_F(Batching, EveryJobIsShownOnceWhileItRuns) {
  type("b", {.collect = Collect::kSet});
  items(1, 4);
  commit();
  (void)hand_over();
  item("5");
  EXPECT_EQ(all_jobs().size(), 5u);
  std::size_t walked = 0, running = 0;
  (void)task->walk({}, now(), [&](const JobInfo& info) {
    ++walked;
    running += info.state == JobState::kRunning ? 1u : 0u;
    return true;
  });
  EXPECT_EQ(walked, 5u);
  EXPECT_EQ(running, 4u);
}

}  // namespace
}  // namespace penstock
