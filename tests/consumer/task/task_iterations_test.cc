// Long jobs: max_runtime, what is kept between iterations, and where an interrupted job goes on.
#include "tests/consumer/task/iterating_fixture.h"

namespace penstock {
namespace {

UniquePolicy unique_by_k(UniqueScope scope, OnConflict on_conflict) {
  return {{parse_json_pointer("/k").value()}, scope, on_conflict, Duration(0)};
}

// -- max_runtime

struct MaxRuntime : Iterating {
  MaxRuntime() {
    policy.max_runtime = 60s;
    long_type("t");
  }
};

TEST_F(MaxRuntime, AJobThatHasRunSoLongGoesBehindTheOthersWithItsCursor) {
  for (const char* id : {"long", "b", "c"}) job("acme", id);
  EXPECT_EQ(start(), "long");
  ran("long", 30s);
  EXPECT_EQ(start(), "long") << "it has not run so long yet";
  ran("long", 30s, R"({"page":2})");
  EXPECT_EQ(start(), "b");
  EXPECT_EQ(state("acme", "long"), "waiting");
  end("b");
  EXPECT_EQ(start(), "c");
  end("c");
  EXPECT_EQ(start(), "long");
  EXPECT_EQ(host.starts.back().cursor, R"({"page":2})");
}

TEST_F(MaxRuntime, SpendsNoAttempt) {
  job("acme", "long");
  for (int i = 0; i < 10; ++i) {
    start();
    ran("long", 60s);
  }
  EXPECT_EQ(attempt_of("long"), 1);
  EXPECT_EQ(start(), "long");
}

TEST_F(MaxRuntime, CountsAnewWhenItsTurnHasComeAgain) {
  job("acme", "long");
  job("acme", "b");
  start();
  ran("long", 61s);
  start();
  end("b");
  start();
  job("acme", "c");
  ran("long", 30s);
  EXPECT_EQ(start(), "long");
  ran("long", 30s);
  EXPECT_EQ(start(), "c");
}

TEST_F(MaxRuntime, WaitingIsNotRunning) {
  job("acme", "long");
  job("acme", "b");
  start();
  ran("long", 1s);
  clock += 1h;
  EXPECT_EQ(start(), "long");
}

TEST_F(MaxRuntime, ComesBeforeThoseWhoComeLater) {
  job("acme", "long");
  job("acme", "b");
  start();
  ran("long", 60s);
  job("acme", "later");
  EXPECT_EQ(start(), "b");
  end("b");
  EXPECT_EQ(start(), "long");
  end("long");
  EXPECT_EQ(start(), "later");
}

TEST_F(MaxRuntime, GoesBehindOtherTypesToo) {
  types.add("quick", {});
  job("acme", "long");
  job_of("quick", "acme", "q");
  start();
  ran("long", 60s);
  EXPECT_EQ(start(), "q");
}

TEST_F(MaxRuntime, DoesNotHoldUpOtherAccounts) {
  job("acme", "long");
  job("bolt", "b");
  EXPECT_EQ(start(1), "long");
  ran("long", 60s);
  EXPECT_EQ(start(1), "b");
}

TEST_F(MaxRuntime, ItsTurnOutlivesARestart) {
  for (const char* id : {"long", "b", "c"}) job("acme", id);
  start();
  commit();
  ran("long", 60s);
  commit();
  restart();
  EXPECT_EQ(start(), "b");
  end("b");
  ran("c", 0s);
  EXPECT_EQ(start(), "c");
  end("c");
  EXPECT_EQ(start(), "long");
  ran("long", 60s);
  job("acme", "d");
  commit();
  restart();
  EXPECT_EQ(start(), "long") << "the last turn that was given is known after a restart";
}

TEST_F(MaxRuntime, WhatItHasRunOutlivesARestart) {
  job("acme", "long");
  job("acme", "b");
  start();
  ran("long", 40s);
  commit();
  restart();
  EXPECT_EQ(start(), "long");
  ran("long", 20s);
  EXPECT_EQ(start(), "b");
}

TEST_F(MaxRuntime, AnInterruptedIterationCounts) {
  job("acme", "long");
  job("acme", "b");
  start();
  clock += 50s;
  end("long", Interrupted{"the worker stops"});
  EXPECT_EQ(start(), "long");
  ran("long", 10s);
  EXPECT_EQ(start(), "b");
}

TEST_F(MaxRuntime, ABatchGoesBehindTheOthersTogether) {
  policy.batch = BatchPolicy{.max = 2};
  long_type("t");
  for (const char* id : {"1", "2", "3", "4"}) job("acme", id);
  start();
  EXPECT_EQ(handed(), "1 2");
  ran("1", 60s, "7");
  start();
  EXPECT_EQ(handed(), "3 4");
  end("3");
  start();
  EXPECT_EQ(handed(), "1 2");
  EXPECT_EQ(host.starts.back().cursor, "7");
}

TEST_F(MaxRuntime, GivesUpWhatItHolds) {
  policy.limits = {limit("api/{account}", 1)};
  long_type("t");
  job("acme", "long");
  job("acme", "b");
  start();
  ran("long", 60s);
  EXPECT_EQ(start(), "b") << "it needs the slot";
}

TEST_F(MaxRuntime, ARetryTakesItsOwnPlaceBehindThem) {
  job("acme", "long");
  job("acme", "b");
  start();
  ran("long", 60s);
  start();
  end("b");
  start();
  end("long", RetryLater{"no", 1s});
  clock += 2s;
  EXPECT_EQ(start(), "long");
  EXPECT_EQ(attempt_of("long"), 2);
}

TEST_F(MaxRuntime, WhySaysThatItGaveItsTurnUp) {
  for (const char* id : {"long", "b", "c"}) job("acme", id);
  start();
  ran("long", 60s);
  EXPECT_EQ(why("acme", "long"),
            "it has run for its max_runtime, so it went behind the account's others; 2 jobs of the "
            "account run before it, first \"b\"");
}

TEST_F(MaxRuntime, JobsThatGiveTheirTurnsUpAlternateHoweverOften) {
  job("acme", "a");
  job("acme", "b");
  for (int i = 0; i < 3000; ++i) {
    const std::string id = start();
    ASSERT_EQ(id, i % 2 == 0 ? "a" : "b");
    ran(id, 60s);
  }
}

// -- between_iterations

struct BetweenTwo : Iterating {
  // A long type and another that needs the same slot, both waiting for it.
  void two(BetweenIterations between, int slots = 1) {
    queue.account_concurrency = 1;
    policy.limits = {limit("api/{account}", slots)};
    policy.between_iterations = between;
    long_type("long");
    policy.between_iterations = BetweenIterations::kRelease;
    long_type("other");
    types.add("free", {});
  }
  // The first to start comes back only when `next` has begun and ended its iteration: both are
  // ready then.
  void both_are_ready(const std::string& first, const std::string& next) {
    start();
    end(first, Snooze{1s});
    start();
    clock += 2s;
    task->advance(now());
    end(next, NextIteration{"1"});
  }
};

TEST_F(BetweenTwo, ReleaseLetsOthersHaveTheSlot) {
  two(BetweenIterations::kRelease);
  job_of("other", "acme", "o");
  job_of("long", "acme", "l");
  both_are_ready("o", "l");
  EXPECT_EQ(start(), "o") << "it is before it, and the slot is free";
}

TEST_F(BetweenTwo, KeepHoldsTheSlotUntilTheNextIteration) {
  two(BetweenIterations::kKeep);
  job_of("other", "acme", "o");
  job_of("long", "acme", "l");
  both_are_ready("o", "l");
  EXPECT_EQ(start(), "l");
  end("l");
  EXPECT_EQ(start(), "o");
}

TEST_F(BetweenTwo, KeepGivesTheAccountsPlaceUpAllTheSame) {
  two(BetweenIterations::kKeep);
  job_of("free", "acme", "f");
  job_of("long", "acme", "l");
  both_are_ready("f", "l");
  EXPECT_EQ(start(), "f") << "it comes first and needs nothing of it";
  EXPECT_NE(why("acme", "l").find("the account already runs"), std::string::npos);
}

TEST_F(BetweenTwo, OneThatKeepsASlotIsNotHeldUpByWhoWaitsForIt) {
  two(BetweenIterations::kKeep);
  job_of("long", "acme", "early");
  job_of("long", "acme", "l");
  start();
  end("early", Snooze{1s});
  EXPECT_EQ(start(), "l");
  clock += 2s;
  task->advance(now());
  end("l", NextIteration{"1"});
  EXPECT_EQ(start(), "l") << "though the other is before it in their line";
  end("l");
  EXPECT_EQ(start(), "early");
}

TEST_F(BetweenTwo, ACancelInBetweenGivesTheSlotBack) {
  two(BetweenIterations::kKeep);
  queue.account_concurrency = 2;
  job_of("long", "acme", "l");
  job_of("other", "acme", "o");
  EXPECT_EQ(start(), "l");
  end("l", NextIteration{"1"});
  command("cancel", "acme", "l");
  EXPECT_EQ(start(), "o");
}

TEST_F(BetweenTwo, APauseInBetweenGivesTheSlotBack) {
  two(BetweenIterations::kKeep);
  queue.account_concurrency = 2;
  job_of("long", "acme", "l");
  job_of("other", "acme", "o");
  start();
  set(pause_key({"mail", "long", {}}), "{}");
  end("l", NextIteration{"1"});
  EXPECT_EQ(start(), "o");
  end("o");
  set(pause_key({"mail", "long", {}}), std::nullopt);
  EXPECT_EQ(start(), "l");
  EXPECT_EQ(host.starts.back().cursor, "1");
}

TEST_F(BetweenTwo, ALimitThatIsSetTo0HaltsItAtTheIterationsEnd) {
  two(BetweenIterations::kKeep);
  job_of("long", "acme", "l");
  start();
  set(limit_key("api/acme"), R"({"slots":0})");
  end("l", NextIteration{"1"});
  EXPECT_EQ(start(), "");
  EXPECT_EQ(why("acme", "l"), "waits for the limit \"api/acme\", which is set to 0 slots");
  set(limit_key("api/acme"), std::nullopt);
  EXPECT_EQ(start(), "l");
}

TEST_F(BetweenTwo, ALimitThatIsLoweredInBetweenTakesTheSlot) {
  two(BetweenIterations::kKeep);
  job_of("long", "acme", "l");
  start();
  end("l", NextIteration{"1"});
  set(limit_key("api/acme"), R"({"slots":0})");
  EXPECT_EQ(start(), "");
  set(limit_key("api/acme"), R"({"slots":1})");
  EXPECT_EQ(start(), "l");
}

TEST_F(BetweenTwo, WhatIsKeptBehindOneThatWaitsIsLetGo) {
  queue.account_concurrency = 2;
  policy.limits = {limit("api/{account}", 2)};
  long_type("long");
  for (const char* const id : {"1", "2"}) job_of("long", "acme", id);
  EXPECT_EQ(start(), "1 2");
  end("1", NextIteration{"1"});
  set(limit_key("api/acme"), R"({"slots":1})");
  EXPECT_EQ(start(), "") << "2 has the only slot";
  end("2", NextIteration{"1"});
  EXPECT_EQ(start(), "1");
}

TEST_F(BetweenTwo, TwoOfOneLineBothKeepTheirSlots) {
  two(BetweenIterations::kKeep, 2);
  queue.account_concurrency = 3;
  job_of("other", "acme", "o");
  for (const char* const id : {"1", "2"}) job_of("long", "acme", id);
  EXPECT_EQ(start(), "o 1");
  end("o", Snooze{1s});
  EXPECT_EQ(start(), "2");
  clock += 2s;
  EXPECT_EQ(start(), "") << "o comes before them, and waits for a slot";
  for (const char* const id : {"1", "2"}) end(id, NextIteration{"1"});
  EXPECT_EQ(start(), "1 2");
}

TEST_F(BetweenTwo, WhatIsKeptIsNotTakenTwice) {
  two(BetweenIterations::kKeep, 2);
  queue.account_concurrency = 3;
  job_of("long", "acme", "l");
  start();
  for (int i = 0; i < 5; ++i) {
    end("l", NextIteration{"1"});
    EXPECT_EQ(start(), "l");
  }
  job_of("other", "acme", "o1");
  job_of("other", "acme", "o2");
  EXPECT_EQ(start(), "o1");
  end("l");
  EXPECT_EQ(start(), "o2");
}

TEST_F(BetweenTwo, AfterADeathNothingIsKept) {
  two(BetweenIterations::kKeep);
  job_of("long", "acme", "l");
  job_of("long", "acme", "m");
  start();
  end("l", NextIteration{R"("at")"});
  commit();
  restart();
  EXPECT_EQ(start(), "l");
  EXPECT_EQ(host.starts.back().cursor, R"("at")");
  end("l");
  EXPECT_EQ(start(), "m");
}

TEST_F(BetweenTwo, WhySaysWhatItKeeps) {
  two(BetweenIterations::kKeep);
  job_of("long", "acme", "l");
  start();
  end("l", NextIteration{"1"});
  EXPECT_EQ(why("acme", "l"),
            "it keeps its slots and locks until its next iteration; its turn is next: it waits for "
            "a free place of --concurrency");
}

TEST_F(BetweenTwo, ARowThatIsBeyondWhatIsInMemoryDoesNotLoseWhatItKeeps) {
  two(BetweenIterations::kKeep);
  job_of("long", "acme", "l");
  for (int i = 0; i < 200; ++i) job_of("long", "acme", "x" + std::to_string(i));
  commit();
  start();
  for (int i = 0; i < 3; ++i) {
    end("l", NextIteration{"1"});
    commit();
    EXPECT_EQ(start(), "l");
  }
  end("l");
  commit();
  EXPECT_EQ(start(), "x0");
  end("x0");
  EXPECT_EQ(start(), "x1");
  EXPECT_EQ(all_jobs().size(), 199u);
}

TEST_F(BetweenTwo, ABatchKeepsItsSlotTogether) {
  policy.batch = BatchPolicy{.max = 2};
  two(BetweenIterations::kKeep);
  queue.account_concurrency = 3;
  for (const char* id : {"1", "2", "3"}) job_of("long", "acme", id);
  job_of("other", "acme", "o");
  EXPECT_EQ(start(), "1");
  EXPECT_EQ(handed(), "1 2");
  end_items("1", NextIteration{"5"}, {Done{}, {}});
  EXPECT_EQ(start(), "2") << "what the first held goes to the one that goes on";
  end("2");
  EXPECT_EQ(start(), "o") << "it has waited for it longer";
  end("o");
  EXPECT_EQ(start(), "3");
}

TEST_F(BetweenTwo, TheLockOfAUniqueKeyIsKeptToo) {
  queue.account_concurrency = 3;
  policy.unique = unique_by_k(UniqueScope::kRunning, OnConflict::kDrop);
  long_type("t");
  job("acme", "early", R"("args":{"k":1})");
  job("acme", "l", R"("args":{"k":1})");
  EXPECT_EQ(start(), "early");
  end("early", Snooze{1s});
  EXPECT_EQ(start(), "l");
  clock += 2s;
  EXPECT_EQ(start(), "");
  end("l", NextIteration{"1"});
  EXPECT_EQ(start(), "l");
  end("l");
  EXPECT_EQ(start(), "early");
}

TEST_F(BetweenTwo, ReleaseGivesTheRunningLockUp) {
  queue.account_concurrency = 3;
  policy.between_iterations = BetweenIterations::kRelease;
  policy.unique = unique_by_k(UniqueScope::kRunning, OnConflict::kDrop);
  long_type("t");
  job("acme", "early", R"("args":{"k":1})");
  job("acme", "l", R"("args":{"k":1})");
  start();
  end("early", Snooze{1s});
  start();
  clock += 2s;
  start();
  end("l", NextIteration{"1"});
  EXPECT_EQ(start(), "early");
  end("early");
  EXPECT_EQ(start(), "l");
}

TEST_F(BetweenTwo, NewArgumentsComeWithoutWhatWasKeptForTheOld) {
  queue.account_concurrency = 3;
  policy.unique = unique_by_k(UniqueScope::kUntilDone, OnConflict::kReplace);
  policy.limits = {limit("{account}/{args/host}", 1)};
  long_type("t");
  type("other", {limit("{account}/{args/host}", 1)});
  job("acme", "l", R"("args":{"k":1,"host":"h"})");
  start();
  end("l", NextIteration{"1"});
  job("acme", "m", R"("args":{"k":1,"host":"i"})");
  job_of("other", "acme", "o", R"("args":{"host":"h"})");
  EXPECT_EQ(start(), "l o");
}

}  // namespace
}  // namespace penstock
