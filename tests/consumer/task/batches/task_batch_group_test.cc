// Jobs that an attempt has left together: they are handed over whole, and their cursor and what
// they keep are with whichever leads them.
#include "tests/consumer/task/batches/batch_fixture.h"

namespace penstock {
namespace {

struct Together : Batching {
  TypePolicy policy;

  Together() {
    policy.retry = {.attempts = 3, .backoff = Backoff::kFixed, .base = 10s, .jitter = 0};
    policy.batch = BatchPolicy{};
  }
  void add_type() { types.add("b", policy); }
  void exclusive() {
    policy.unique = UniquePolicy{
        {parse_json_pointer("/k").value()}, UniqueScope::kRunning, OnConflict::kDrop, {}};
  }
  void replacing() {
    policy.unique = UniquePolicy{{parse_json_pointer("/k").value()},
                                 UniqueScope::kQueuedAndRunning,
                                 OnConflict::kReplace,
                                 {}};
  }
  void checkpoint(const std::string& id, const std::string& cursor) {
    task->checkpoint(token(id), cursor);
  }
  void die(const std::string& id) { record("acme", id, {{std::string(kCrashHeader), "1"}}); }
  [[nodiscard]] std::string cursor() const { return host.starts.back().cursor; }
  static std::string key(const std::string& k) { return R"("args":{"k":")" + k + "\"}"; }
  // Steps and commits until something is handed over.
  std::string hand_over_in_pieces() {
    std::string text;
    for (int i = 0; i < 20 && text.empty(); ++i) {
      text = hand_over();
      commit();
    }
    return text;
  }
};

// -- The cursor

TEST_F(Together, HalvesBeginWithoutTheCursorOfTheWhole) {
  policy.batch->on_error = OnBatchError::kSplit;
  add_type();
  for (const char* const id : {"1", "2"}) item(id);
  EXPECT_EQ(hand_over(), "1 2");
  checkpoint("1", "17");
  end("1", RetryLater{"no"});
  clock = 11s;
  EXPECT_EQ(hand_over(), "1");
  EXPECT_EQ(cursor(), "");
}

TEST_F(Together, TheCursorIsTakenByWhicheverLeadsAfterARetry) {
  queue.order = Order::kReady;
  add_type();
  clock = 5s;
  item("1");
  item("2", "\"run_at\":" + ms(1s));
  item("3", "\"run_at\":" + ms(2s));
  EXPECT_EQ(hand_over(), "2 3 1");
  checkpoint("2", "17");
  end("2", RetryLater{"no"});
  clock = 16s;
  EXPECT_EQ(hand_over(), "1 2 3") << "all have the same time now";
  EXPECT_EQ(cursor(), "17");
  commit();
  restart();
  EXPECT_EQ(hand_over(), "1 2 3");
  EXPECT_EQ(cursor(), "17");
  end("1", NextIteration{"18"});
  EXPECT_EQ(hand_over(), "1 2 3");
  EXPECT_EQ(cursor(), "18");
}

TEST_F(Together, TheCursorAndTheSlotsAreTakenByWhicheverLeadsTheNextIteration) {
  queue.order = Order::kReady;
  queue.account_concurrency = 5;
  exclusive();
  policy.between_iterations = BetweenIterations::kKeep;
  policy.limits = {{parse_limit_name("crm/{account}").value(), 2}};
  add_type();
  clock = 5s;
  item("1", key("1"));
  item("2", key("2") + ",\"run_at\":" + ms(1s));
  EXPECT_EQ(hand_over(), "2 1");
  for (int i = 0; i < 3; ++i) {
    end(host.starts.back().id, NextIteration{std::to_string(i)});
    EXPECT_EQ(hand_over(), "1 2");
    EXPECT_EQ(cursor(), std::to_string(i));
  }
  end("1");
  EXPECT_EQ(task->counters().succeeded, 2u);
  items(3, 4, key("x"));
  EXPECT_EQ(hand_over(), "3") << "every slot is back";
  EXPECT_EQ(task->attempts().running(), 1u);
}

TEST_F(Together, UnderFairPrioritiesDoNotLoseTheCursorEither) {
  queue.order = Order::kFair;
  exclusive();
  policy.between_iterations = BetweenIterations::kKeep;
  policy.limits = {{parse_limit_name("crm/{account}").value(), 1}};
  add_type();
  item("1", key("1"));
  item("2", key("2") + R"(,"priority":-5)");
  EXPECT_EQ(hand_over(), "2 1");
  end("2", NextIteration{"7"});
  EXPECT_EQ(hand_over(), "1 2");
  EXPECT_EQ(cursor(), "7");
  end("1");
  EXPECT_EQ(task->counters().succeeded, 2u);
}

TEST_F(Together, ACancelOfTheFirstLeavesTheCursorToTheOthers) {
  add_type();
  items(1, 4);
  (void)hand_over();
  checkpoint("1", "17");
  command("cancel", "acme", "1");
  end("1", RetryLater{"no"});
  command("cancel", "acme", "2");
  clock = 11s;
  (void)start(0);
  command("cancel", "acme", "3");
  EXPECT_EQ(hand_over(), "4");
  EXPECT_EQ(cursor(), "17");
}

TEST_F(Together, TheFirstOnesLastAttemptLeavesTheCursorToTheOthers) {
  policy.retry.attempts = 2;
  add_type();
  item("1");
  EXPECT_EQ(hand_over(), "1");
  end("1", RetryLater{"no"});
  clock = 11s;
  (void)start(0);
  command("reschedule", "acme", "1", "\"run_at\":" + ms(1s));  // it is in no batch any more
  item("2");
  EXPECT_EQ(hand_over(), "1 2");
  checkpoint("1", "17");
  end("1", RetryLater{"no"});
  EXPECT_EQ(state("acme", "1"), "dead");
  clock = 22s;
  EXPECT_EQ(hand_over(), "2");
  EXPECT_EQ(cursor(), "17");
}

TEST_F(Together, AnswersOfTheFirstsOwnLeaveTheCursorToTheOthers) {
  add_type();
  items(1, 3);
  (void)hand_over();
  checkpoint("1", "17");
  end_items("1", RetryLater{"no"}, {Done{}, kNo, kNo});
  clock = 11s;
  EXPECT_EQ(hand_over(), "2 3");
  EXPECT_EQ(cursor(), "17");
}

TEST_F(Together, AJobThatRunsAloneForItsDeathsHasNotTheCursorOfItsBatch) {
  add_type();
  items(1, 2);
  (void)hand_over();
  checkpoint("1", "17");
  end("1", Interrupted{"stopped"});
  for (int i = 0; i < 2; ++i) {
    for (const char* const id : {"1", "2"}) record("acme", id, {{std::string(kCrashHeader), "1"}});
  }
  EXPECT_EQ(hand_over(), "1");
  EXPECT_EQ(cursor(), "");
  end("1");
  EXPECT_EQ(hand_over(), "2");
  EXPECT_EQ(cursor(), "");
}

TEST_F(Together, ASuspectThatRunsAloneLeavesTheCursorToTheOthersForGood) {
  add_type();
  item("1");
  EXPECT_EQ(hand_over(), "1");
  commit();
  restart();
  die("1");
  items(2, 3);
  EXPECT_EQ(hand_over(), "1 2 3");
  checkpoint("1", "17");
  commit();
  restart();
  for (const char* const id : {"1", "2", "3"}) die(id);
  EXPECT_EQ(hand_over(), "1");
  EXPECT_EQ(cursor(), "") << "the cursor is of what it did with the others";
  end("1", RetryLater{"no"});
  EXPECT_EQ(hand_over(), "2 3");
  EXPECT_EQ(cursor(), "17");
  end("2");
  clock = 11s;
  EXPECT_EQ(hand_over(), "1");
  EXPECT_EQ(cursor(), "");
}

TEST_F(Together, TheCursorPassesOverSuspectsToWhoGoesOnWithIt) {
  add_type();
  items(1, 4);
  (void)hand_over();
  checkpoint("1", "17");
  end("1", Interrupted{"stopped"});
  for (const char* const id : {"1", "2", "1", "2"}) die(id);
  EXPECT_EQ(hand_over(), "1");
  EXPECT_EQ(cursor(), "");
  end("1");
  EXPECT_EQ(hand_over(), "2");
  EXPECT_EQ(cursor(), "");
  end("2");
  EXPECT_EQ(hand_over(), "3 4");
  EXPECT_EQ(cursor(), "17");
}

TEST_F(Together, TheCursorPassesOverSuspectsThatWaitForTheirRetryToo) {
  add_type();
  items(1, 3);
  (void)hand_over();
  checkpoint("1", "17");
  end("1", RetryLater{"no"});
  for (int i = 0; i < 2; ++i) die("2");
  commit();
  command("cancel", "acme", "1");
  clock = 11s;
  EXPECT_EQ(hand_over(), "2");
  EXPECT_EQ(cursor(), "");
  end("2");
  EXPECT_EQ(hand_over(), "3");
  EXPECT_EQ(cursor(), "17");
}

// -- Retried whole

TEST_F(Together, ABatchThatIsLargerThanAStepBringsInIsRetriedWhole) {
  policy.batch->max = 3000;
  add_type();
  for (const auto& [count, size] : {std::pair(100, 9000), std::pair(3000, 10)}) {
    const std::string args =
        R"("args":{"x":")" + std::string(static_cast<std::size_t>(size), 'x') + "\"}";
    for (int i = 0; i < count; ++i) {
      item(std::to_string(size) + "/" + std::to_string(i), args);
      if (i % 50 == 0) commit();
    }
    ASSERT_NE(hand_over_in_pieces(), "");
    ASSERT_EQ(host.starts.back().items.size(), static_cast<std::size_t>(count));
    end(host.starts.back().id, RetryLater{"no"});
    commit();
    clock += 11s;
    EXPECT_EQ(hand_over(), "") << "they are not all in line yet";
    EXPECT_EQ(why("acme", std::to_string(size) + "/0"),
              "waits until all of its batch is in line again: it is retried as it was");
    (void)hand_over_in_pieces();
    EXPECT_EQ(host.starts.back().items.size(), static_cast<std::size_t>(count));
    end(host.starts.back().id);
    EXPECT_EQ(hand_over(), "");
    commit();
  }
}

// -- New arguments

TEST_F(Together, NewArgumentsOfOneThatIsNotTheFirstTakeItOutOfTheBatch) {
  replacing();
  add_type();
  item("1", key("1"));
  item("2", key("2"));
  EXPECT_EQ(hand_over(), "1 2");
  checkpoint("1", "17");
  end("1", Interrupted{"stopped"});
  item("2b", key("2"));
  EXPECT_EQ(task->counters().duplicate, 1u);
  EXPECT_EQ(hand_over(), "1");
  EXPECT_EQ(cursor(), "17");
  end("1");
  EXPECT_EQ(hand_over(), "2");
  EXPECT_EQ(cursor(), "") << "nothing is done of the new arguments";
}

TEST_F(Together, NewArgumentsOfTheFirstLeaveTheCursorToTheOthers) {
  replacing();
  policy.unique->scope = UniqueScope::kUntilDone;
  add_type();
  for (const char* const id : {"1", "2", "3"}) item(id, key(id));
  (void)hand_over();
  checkpoint("1", "17");
  end("1", RetryLater{"no"});
  commit();
  item("1b", key("1"));  // its row is in no line yet
  EXPECT_EQ(task->counters().duplicate, 1u);
  clock = 11s;
  EXPECT_EQ(hand_over(), "1");
  EXPECT_EQ(cursor(), "");
  checkpoint("1", "1");
  end("1", Interrupted{"stopped"});
  item("2b", key("2"));
  EXPECT_EQ(hand_over(), "1") << "another attempt's jobs are another batch";
  EXPECT_EQ(cursor(), "1");
  end("1");
  EXPECT_EQ(hand_over(), "2");
  EXPECT_EQ(cursor(), "");
  end("2");
  EXPECT_EQ(hand_over(), "3");
  EXPECT_EQ(cursor(), "17");
}

// -- Collecting

TEST_F(Together, WhyOfABatchThatIsDueIsItsTurn) {
  policy.batch->delay = 1s;
  add_type();
  item("1");
  EXPECT_EQ(hand_over(), "");
  clock = 1s;
  (void)start(0);
  EXPECT_EQ(why("acme", "1"), "its turn is next: it waits for a free place of --concurrency");
}

TEST_F(Together, InStrictOrderAnotherTypesArrivalEndsTheCollection) {
  queue.order = Order::kStrict;
  policy.batch->delay = 1s;
  add_type();
  items(1, 2);
  EXPECT_EQ(hand_over(), "");
  job("acme", "t");
  EXPECT_EQ(hand_over(), "1 2") << "nothing that comes can join it";
}

// One before them has come, and memory is full: rows of the line are loaded when the first is back.
TEST_F(Batching, WhatComesBackWithItsSlotsIsNotLoadedBesideItself) {
  max_live_jobs = 0;
  queue.order = Order::kFair;
  type("b", {.max = 2}, {{parse_limit_name("crm/{account}").value(), 1, {}, 1}});
  TypePolicy policy = types.find("b")->policy;
  policy.between_iterations = BetweenIterations::kKeep;
  types.add("k", policy);
  for (const char* const id : {"1", "2"}) item(id, "", "acme", "k");
  EXPECT_EQ(hand_over(), "1 2");
  item("3", R"("priority":-1)", "acme", "k");
  commit();
  end("1", NextIteration{"1"});
  EXPECT_EQ(hand_over(), "1 2");
  end("1");
  EXPECT_EQ(hand_over(), "3");
  end("3");
  EXPECT_EQ(hand_over(), "");
  EXPECT_EQ(task->counters().succeeded, 3u);
}

}  // namespace
}  // namespace penstock
