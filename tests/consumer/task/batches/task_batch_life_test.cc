// Batches beside everything else that may happen to their items: cancels, deaths, restarts, limits,
// locks, bulks.
#include "consumer/policy/error_pattern.h"
#include "tests/consumer/task/batches/batch_fixture.h"

namespace penstock {
namespace {

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

TEST_F(Batching, ACancelledItemIsNotHandedOverAgainWhenItsWorkerDies) {
  type("b", {});
  items(1, 3);
  EXPECT_EQ(hand_over(), "1 2 3");
  command("cancel", "acme", "1");
  command("delete", "acme", "3");
  commit();
  restart();
  EXPECT_EQ(hand_over(), "2");
  end("2");
  EXPECT_EQ(hand_over(), "");
  EXPECT_EQ(task->counters().cancelled, 2u);
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
  const auto died_with = [&](const std::string& id) {
    record("acme", id, {{std::string(kCrashHeader), "1"}});
  };
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
  policy.unique = UniquePolicy{
      {parse_json_pointer("/k").value()}, UniqueScope::kRunning, OnConflict::kDrop, {}};
  types.add("b", policy);
  for (const char* const id : {"1a", "1b", "2a"})
    item(id, R"("args":{"k":)" + std::string(1, id[0]) + "}");
  EXPECT_EQ(hand_over(), "1a 2a");
  end("1a");
  EXPECT_EQ(hand_over(), "1b");
}

TEST_F(Batching, EachItemHoldsItsLockUntilItEnds) {
  TypePolicy policy;
  policy.retry = {.attempts = 3, .backoff = Backoff::kFixed, .base = 10s, .jitter = 0};
  policy.batch = BatchPolicy{.on_error = OnBatchError::kSplit};
  policy.unique = UniquePolicy{
      {parse_json_pointer("/k").value()}, UniqueScope::kQueuedAndRunning, OnConflict::kDrop, {}};
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
  policy.unique = UniquePolicy{
      {parse_json_pointer("/k").value()}, UniqueScope::kQueued, OnConflict::kReplace, {}};
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
  (void)task->queries().walk_bulks(
      "", "acme", 10, [&](const Queries::BulkProgress& bulk) { running = bulk.running; });
  EXPECT_EQ(running, 3u);
  end_items("c0", Done{}, {kNo, Discard{"no"}, kNo});
  commit();
  const auto produced = messages("penstock.mail");
  ASSERT_EQ(produced.size(), 1u);
  EXPECT_NE(produced[0].value->find(R"("succeeded":2,"dead":1)"), std::string::npos)
      << *produced[0].value;
}

TEST_F(Batching, UnderFairABatchIsOfOneBulk) {
  queue.order = Order::kFair;
  type("b", {});
  for (const char* const bulk : {"k", "l"}) {
    for (int i = 0; i < 2; ++i) {
      item(bulk + std::to_string(i), R"("bulk":{"id":")" + std::string(bulk) + R"(","index":)" +
                                         std::to_string(i) + R"(,"size":2})");
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

TEST_F(Batching, AHandOverThatRunsOutOfItsTimeMakesTheNextOnesSmaller) {
  type("b", {.max = 100, .target = 20s});
  items(1, 800);
  std::vector<std::size_t> sizes;
  for (int i = 0; i < 12; ++i) {
    (void)hand_over();
    sizes.push_back(host.starts.back().items.size());
    if (i < 6) {
      end_items(host.starts.back().id, Done{}, {}, std::chrono::milliseconds(100 * sizes.back()));
    } else {
      end(host.starts.back().id, RetryLater{"timed out after 30s", {}, std::string(kTimeoutError)});
    }
  }
  EXPECT_EQ(sizes[6], 64u);
  for (std::size_t i = 8; i < sizes.size(); ++i) EXPECT_LT(sizes[i], sizes[i - 1]) << i;
}

TEST_F(Batching, WhyTellsUntilWhenABatchIsCollected) {
  type("b", {.delay = 1s});
  items(1, 2);
  (void)hand_over();
  EXPECT_EQ(state("acme", "1"), "waiting");
  EXPECT_EQ(why("acme", "1"),
            "its batch is collecting until 2027-01-15T08:00:01.000Z (2 jobs so far)");
  EXPECT_EQ(why("acme", "2"), why("acme", "1"));
  clock = 1s;
  (void)hand_over();
  EXPECT_EQ(why("acme", "2"),
            "attempt 1 runs since 2027-01-15T08:00:01.000Z, in a batch of 2 jobs of which \"1\" is "
            "the first");
}

TEST_F(Batching, EveryJobIsShownOnceWhileItRuns) {
  type("b", {.collect = Collect::kSet});
  items(1, 4);
  commit();
  (void)hand_over();
  item("5");
  EXPECT_EQ(all_jobs().size(), 5u);
  std::size_t walked = 0, running = 0;
  (void)task->job_walk().walk({}, now(), [&](const JobInfo& info) {
    ++walked;
    running += info.state == JobState::kRunning ? 1u : 0u;
    return true;
  });
  EXPECT_EQ(walked, 5u);
  EXPECT_EQ(running, 4u);
}

}  // namespace
}  // namespace penstock
