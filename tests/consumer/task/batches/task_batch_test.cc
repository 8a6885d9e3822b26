// Batches: what is collected and how long, what is handed over together, and what comes of each
// item.
#include "tests/consumer/task/batches/batch_fixture.h"

namespace penstock {
namespace {

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

TEST_F(Batching, AnArrivalPostponesAHandOverWhoseJobsAreRowsOnly) {
  max_live_jobs = 0;
  type("b", {.delay = 1s});
  item("a");
  EXPECT_EQ(hand_over(), "");
  commit();
  EXPECT_EQ(task->live_jobs(), 0u);
  clock = 900ms;
  item("b");
  clock = 1s;
  EXPECT_EQ(hand_over(), "");
  clock = 1900ms;
  EXPECT_EQ(hand_over(), "a b");
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
  EXPECT_EQ(why("acme", "4"),
            "waits for the batch that runs, in a batch of 2 jobs of which \"1\" is the first");
  end("1");
  EXPECT_EQ(hand_over(), "3 4");
}

TEST_F(Batching, ABatchIsOneAttemptOfItsAccount) {
  type("b", {});
  items(1, 3);
  job("acme", "t");
  EXPECT_EQ(start(), "1");
  EXPECT_EQ(start(), "");
  EXPECT_EQ(task->attempts().running(), 1u);
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
  end_items("1", Done{},
            {kNo, RetryLater{"busy", Duration(3s)}, Discard{"never"}, Snooze{5s}, CancelJob{"gone"},
             kNo});
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
  policy.retry = {.attempts = 9,
                  .backoff = Backoff::kExponential,
                  .base = 10s,
                  .factor = 2,
                  .max = 1h,
                  .jitter = 0};
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
  EXPECT_LT(task->unsaved_bytes(), kMaxCommitRows - kMaxGatheredBytes - kMaxFollowUpBytes);
  commit();
}

// Each bulk asks for a large job, and the last chunk of each is in the same batch.
TEST_F(Batching, TheEndsOfManyBulksInOneBatchFitIntoACommit) {
  constexpr int kBulks = 60;
  type("b", {.max = kMaxBatch});
  host.instant = true;
  const std::string text(200'000, 'x');
  const auto chunk = [](int i, int index) {
    return R"("bulk":{"id":"bulk-)" + std::to_string(i) + R"(","size":2,"index":)" +
           std::to_string(index);
  };
  for (int i = 0; i < kBulks; ++i) {
    job("acme", "first-" + std::to_string(i),
        chunk(i, 0) + R"(,"on_done":{"type":"t","args":")" + text + "\"}}");
    start();
    commit();
  }
  host.instant = false;
  for (int i = 0; i < kBulks; ++i) item("last-" + std::to_string(i), chunk(i, 1) + "}");
  int ended = 0;
  for (int batch = 0; batch < kBulks && ended < kBulks; ++batch) {
    (void)hand_over();
    const auto& items = host.starts.back().items;
    EXPECT_GT(items.size(), 5u) << "the room is used";
    ended += static_cast<int>(items.size());
    end(items.front().id);
    EXPECT_LT(task->unsaved_bytes(), kMaxStepBytes);
    commit();
  }
  EXPECT_EQ(ended, kBulks);
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
  task->checkpoint(token("1"), "7");
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

TEST_F(Batching, TheCursorStaysWithThoseThatGoOnThoughTheFirstHasAnAnswerOfItsOwn) {
  const OutcomeValue outcomes[] = {Interrupted{"stopped"}, RetryLater{"no", {}}, Snooze{5s}};
  type("b", {});
  int first = 1;
  for (const OutcomeValue& outcome : outcomes) {
    const std::string id = std::to_string(first), next = std::to_string(first + 1);
    items(first, first + 2);
    EXPECT_EQ(hand_over(), id + " " + next + " " + std::to_string(first + 2));
    task->checkpoint(token(id), "7");
    end_items(id, outcome, {Done{}, kNo, kNo});
    EXPECT_EQ(state("acme", id), "succeeded");
    clock += 20s;
    EXPECT_EQ(hand_over(), next + " " + std::to_string(first + 2));
    EXPECT_EQ(host.starts.back().cursor, "7");
    end(next);
    first += 3;
  }
}

// -- Commands, times, crashes

}  // namespace
}  // namespace penstock
