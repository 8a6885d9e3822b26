// Uniqueness: which newcomers become jobs, and what becomes of the others.
#include <nlohmann/json.hpp>

#include "tests/consumer/unique/unique_fixture.h"

namespace penstock {
namespace {

using Texts = std::vector<std::string>;

// -- on_conflict

TEST_F(InUnique, ADroppedNewcomerEndsAsADuplicateAndNamesTheHolder) {
  unique(UniqueScope::kQueued);
  newcomer("a", 1);
  newcomer("b", 2);
  newcomer("c", 3, "", 2);
  EXPECT_EQ(state("acme", "b"), "(none)");
  EXPECT_EQ(task->counters().duplicate, 1u);
  EXPECT_EQ(task->counters().admitted, 2u);
  EXPECT_EQ(start(), "a c");
  EXPECT_EQ(args("a"), R"({"k":1,"v":1})") << "the newcomer's arguments go with it";
  EXPECT_EQ(events("duplicate"), (Texts{"b folded into \"a\""}));
  newcomer("b");  // by its id
  EXPECT_EQ(start(), "");
}

TEST_F(InUnique, TheKeyIsOfTheAccountAndTheType) {
  unique(UniqueScope::kUntilDone);
  types.add("w", policy(UniqueScope::kUntilDone));
  newcomer("a");
  record("bolt", R"({"type":"u","id":"b","args":{"k":1}})");
  record("acme", R"({"type":"w","id":"c","args":{"k":1}})");
  EXPECT_EQ(task->counters().duplicate, 0u);
}

TEST_F(InUnique, TheRecordsUniqueKeyStandsForTheArguments) {
  unique(UniqueScope::kUntilDone);
  newcomer("a", 0, R"("unique_key":"x")");
  newcomer("b", 0, R"("unique_key":"y")");
  newcomer("c", 0, R"("unique_key":"x")", 7);
  EXPECT_EQ(start(), "a b");
}

TEST_F(InUnique, TheOrderOfMembersMakesNoDifference) {
  TypePolicy whole = policy(UniqueScope::kUntilDone);
  whole.unique->by.clear();
  types.add("u", whole);
  record("acme", R"({"type":"u","id":"a","args":{"x":1,"y":{"p":[1,2],"q":1.0}}})");
  record("acme", R"({"type":"u","id":"b","args":{"y": {"q":1, "p":[1,2]},"x":1}})");
  record("acme", R"({"type":"u","id":"c","args":{"y":{"q":1,"p":[2,1]},"x":1}})");
  EXPECT_EQ(start(), "a c");
}

TEST_F(InUnique, AConflictCanBeDead) {
  unique(UniqueScope::kUntilDone, OnConflict::kDead);
  newcomer("a");
  newcomer("b");
  commit();
  ASSERT_EQ(dead().size(), 1u);
  EXPECT_EQ(dead()[0].headers.at("penstock-reason"), "conflict");
  EXPECT_NE(dead()[0].headers.at("penstock-detail").find("\"a\""), std::string::npos);
  EXPECT_EQ(dead()[0].headers.at("penstock-attempts"), "0");
  EXPECT_EQ(state("acme", "b"), "dead");
}

TEST_F(InUnique, ReplaceGivesTheWaitingJobTheNewestArguments) {
  unique(UniqueScope::kQueued, OnConflict::kReplace);
  newcomer("first");
  newcomer("a", 1, "", 2);
  newcomer("b", 2, R"("run_at":)" + ms(1h), 2);
  EXPECT_EQ(state("acme", "b"), "(none)");
  EXPECT_EQ(start(), "first a");  // its id, its place, its time
  EXPECT_EQ(args("a"), R"({"k":2,"v":2})");
  EXPECT_EQ(events("duplicate"), (Texts{"b folded into \"a\""}));
}

TEST_F(InUnique, ReplaceOfAScheduledJobKeepsItsTime) {
  unique(UniqueScope::kQueued, OnConflict::kReplace);
  newcomer("a", 1, R"("run_at":)" + ms(10s));
  commit();
  newcomer("b", 2);
  EXPECT_EQ(start(), "");
  clock += 10s;
  EXPECT_EQ(start(), "a");
  EXPECT_EQ(args("a"), R"({"k":1,"v":2})");
}

TEST_F(InUnique, ReplaceWhileTheHolderRunsDropsTheNewcomer) {
  unique(UniqueScope::kUntilDone, OnConflict::kReplace);
  newcomer("a", 1);
  start();
  newcomer("b", 2);
  end("a", RetryLater{"no", Duration(0), ""});
  EXPECT_EQ(start(), "a");
  EXPECT_EQ(args("a"), R"({"k":1,"v":1})");
  EXPECT_EQ(events("duplicate"), (Texts{"b folded into \"a\""}));
}

TEST_F(InUnique, ReplaceMovesInTheCommitOfTheInputsPosition) {
  unique(UniqueScope::kQueued, OnConflict::kReplace);
  newcomer("a", 1);
  commit();
  newcomer("b", 2);
  restart();  // before its commit: taken again
  EXPECT_EQ(task->counters().duplicate, 1u);
  commit();
  restart();
  EXPECT_EQ(task->counters().duplicate, 0u);
  EXPECT_EQ(start(), "a");
  EXPECT_EQ(args("a"), R"({"k":1,"v":2})");
}

TEST_F(InUnique, ReplaceOfAJobThatHasOnlyItsRowKeepsItsPlace) {
  unique(UniqueScope::kQueued, OnConflict::kReplace);
  queue.account_concurrency = 1;
  for (int i = 0; i < 200; ++i) newcomer("j" + std::to_string(i), 1, "", i);
  commit();
  restart();
  newcomer("late", 2, "", 150);
  commit();
  for (int i = 0; i < 200; ++i) {
    ASSERT_EQ(start(), "j" + std::to_string(i));
    end("j" + std::to_string(i));
  }
  EXPECT_EQ(args("j150"), R"({"k":150,"v":2})");
  EXPECT_EQ(args("j151"), R"({"k":151,"v":1})");
}

TEST_F(InUnique, WhatWasMadeOfTheOldArgumentsGoesWithThem) {
  TypePolicy limited = policy(UniqueScope::kUntilDone, OnConflict::kReplace);
  limited.limits = {{parse_limit_name("host/{account}/{args/v}").value(), 1, {}, 1}};
  types.add("u", limited);
  newcomer("x", 1, "", 9);
  newcomer("a", 1);
  EXPECT_EQ(start(), "x");
  EXPECT_NE(why("acme", "a").find("host/acme/1"), std::string::npos) << why("acme", "a");
  newcomer("b", 2);
  EXPECT_EQ(start(), "a");  // another host
  end("a", NextIteration{R"({"at":7})"});
  newcomer("c", 3);
  EXPECT_EQ(start(), "a");
  EXPECT_EQ(host.starts.back().cursor, "");  // it was of the old arguments
  EXPECT_EQ(args("a"), R"({"k":1,"v":3})");
}

TEST_F(InUnique, AReplacedJobKeepsItsAccountsTurn) {
  unique(UniqueScope::kQueued, OnConflict::kReplace);
  queue.account_concurrency = 1;
  newcomer("a", 0);
  for (int i = 0; i < 10; ++i) record("bolt", R"({"type":"t","id":"b)" + std::to_string(i) + "\"}");
  EXPECT_EQ(start(1), "a");
  end("a");
  newcomer("c", 0);
  for (int i = 1; i < 4; ++i) {
    newcomer("n" + std::to_string(i), i);
    const std::string id = start(1);
    if (id == "c") return;
    end(id);
  }
  FAIL() << "newcomers hold back the job that they are folded into";
}

TEST_F(InUnique, ArgumentsThatHaveNoRoomInTheRecordAreDead) {
  unique(UniqueScope::kQueued, OnConflict::kReplace);
  newcomer("a", 1, R"("meta":{"m":")" + std::string(700'000, 'm') + "\"}");
  record("acme",
         R"({"type":"u","id":"b","args":{"k":1,"v":")" + std::string(700'000, 'v') + "\"}}");
  commit();
  ASSERT_EQ(dead().size(), 1u);
  EXPECT_EQ(dead()[0].headers.at("penstock-reason"), "conflict");
  EXPECT_EQ(start(), "a");
  EXPECT_EQ(args("a"), R"({"k":1,"v":1})");
}

TEST_F(InUnique, AHolderThatHasExpiredTakesNothing) {
  unique(UniqueScope::kQueued, OnConflict::kReplace);
  newcomer("a", 1, R"("expires_at":)" + ms(5s));
  clock += 6s;
  newcomer("b", 2);
  EXPECT_EQ(start(), "b");
  EXPECT_EQ(task->counters().expired, 1u);
  EXPECT_EQ(task->counters().duplicate, 0u);
}

TEST_F(InUnique, DebounceMovesTheTimeToTheNewcomers) {
  unique(UniqueScope::kQueued, OnConflict::kDebounce);
  newcomer("a", 1, R"("run_at":)" + ms(5s));
  clock += 3s;
  newcomer("b", 2, R"("run_at":)" + ms(8s));
  commit();
  clock += 3s;
  EXPECT_EQ(start(), "");
  restart();
  newcomer("c", 3, R"("run_at":)" + ms(9s));
  clock += 2s;
  EXPECT_EQ(start(), "");
  clock += 1s;
  EXPECT_EQ(start(), "a");
  EXPECT_EQ(args("a"), R"({"k":1,"v":3})");
}

TEST_F(InUnique, DebounceBringsAJobForward) {
  unique(UniqueScope::kQueued, OnConflict::kDebounce);
  newcomer("a", 1, R"("run_at":)" + ms(1h));
  newcomer("b", 2);
  EXPECT_EQ(start(), "a");
}

TEST_F(InUnique, DebounceOfAReadyJobPostponesIt) {
  for (const Order order : {Order::kCreated, Order::kStrict, Order::kReady, Order::kFair}) {
    store = MemoryStore();
    input.clear();
    seq = 0;
    clock = Duration(0);
    queue.order = order;
    unique(UniqueScope::kQueued, OnConflict::kDebounce);
    make();
    newcomer("a", 1);
    newcomer("b", 2, R"("run_at":)" + ms(5s));
    EXPECT_EQ(start(), "");
    newcomer("c", 3, R"("run_at":)" + ms(2s));
    commit();
    clock += 2s;
    EXPECT_EQ(start(), "a") << static_cast<int>(order);
    EXPECT_EQ(args("a"), R"({"k":1,"v":3})");
  }
}

TEST_F(InUnique, DebounceDoesNotShortenABackoff) {
  unique(UniqueScope::kUntilDone, OnConflict::kDebounce);
  newcomer("a", 1);
  start();
  end("a", RetryLater{"no", std::nullopt, ""});
  newcomer("b", 2);
  EXPECT_EQ(start(), "");
  clock += 10s + kWallResolution;
  EXPECT_EQ(start(), "a");
  EXPECT_EQ(args("a"), R"({"k":1,"v":2})");
}

TEST_F(InUnique, KeepLatestHasOneThatRunsAndOneThatWaitsWithTheNewest) {
  for (const UniqueScope scope :
       {UniqueScope::kQueued, UniqueScope::kQueuedAndRunning, UniqueScope::kUntilDone}) {
    store = MemoryStore();
    input.clear();
    seq = 0;
    unique(scope, OnConflict::kKeepLatest);
    make();
    newcomer("a", 1);
    EXPECT_EQ(start(), "a");
    newcomer("b", 2);
    newcomer("c", 3);
    newcomer("d", 4);
    EXPECT_EQ(start(), "");
    EXPECT_NE(why("acme", "b")
                  .find("waits for the lock of its unique key {\"by\":{\"/k\":1}}: \"a\" holds it"),
              std::string::npos)
        << why("acme", "b");
    commit();
    end("a");
    EXPECT_EQ(start(), "b");
    EXPECT_EQ(args("b"), R"({"k":1,"v":4})");
    EXPECT_EQ(task->counters().duplicate, 2u);
    end("b");
    commit();
    EXPECT_EQ(rows_of(keys::kUnique), 0u);
  }
}

// -- The race at the end

TEST_F(InUnique, WhoeverComesBeforeTheHoldersEndIsFoldedAndWhoeverComesAfterRuns) {
  unique(UniqueScope::kUntilDone);
  newcomer("a");
  start();
  newcomer("b");
  end("a");
  newcomer("c");
  EXPECT_EQ(start(), "c");
  EXPECT_EQ(events("duplicate"), (Texts{"b folded into \"a\""}));
  // The commit that holds the end is lost with the process: what came after it meets the holder
  // again.
  end("c");
  newcomer("d");
  restart();
  EXPECT_EQ(start(), "c");
  EXPECT_EQ(state("acme", "d"), "(none)");
}

// -- running

TEST_F(InUnique, NoTwoOfAKeyRunAtOnceAndTheLaterOneWaits) {
  unique(UniqueScope::kRunning);
  newcomer("a");
  newcomer("b");
  newcomer("c", 0, "", 2);
  EXPECT_EQ(start(), "a");
  EXPECT_EQ(
      why("acme", "b"),
      "waits for the lock of its unique key {\"by\":{\"/k\":1}}: \"a\" holds it while it runs");
  end("a", RetryLater{"no", std::nullopt, ""});
  EXPECT_EQ(start(), "b c");
  clock += 10s + kWallResolution;
  EXPECT_EQ(start(), "");
  end("b");
  EXPECT_EQ(start(), "a");
  commit();
  EXPECT_EQ(rows_of(keys::kUnique), 0u);
}

TEST_F(InUnique, AReleaseWakesOneOfAnotherLine) {
  queue.order = Order::kFair;
  unique(UniqueScope::kRunning);
  for (int i = 0; i < 3; ++i) {
    const std::string n = std::to_string(i);
    newcomer("j" + n, 0, R"("bulk":{"id":"b)" + n + R"(","index":0,"size":1})");
  }
  EXPECT_EQ(start(), "j0");
  end("j0");
  EXPECT_EQ(start(), "j1");
  end("j1", Discard{"no"});
  EXPECT_EQ(start(), "j2");
}

TEST_F(InUnique, ALateOutcomeOpensNothingTwice) {
  unique(UniqueScope::kRunning);
  for (const char* id : {"a", "b", "c"}) newcomer(id);
  start();
  const Token first = token("a");
  end("a");
  EXPECT_EQ(start(), "b");
  task->attempt_ended(first, {Done{}, {}}, now());
  EXPECT_EQ(start(), "");
}

TEST_F(InUnique, ATakeOverStartsWithNobodyRunning) {
  unique(UniqueScope::kRunning);
  newcomer("a");
  newcomer("b");
  start();
  commit();
  restart();
  EXPECT_EQ(start(), "a");
}

// -- Of a type that was unknown for a while

TEST_F(InUnique, AParkedJobThatAnotherIsFoldedIntoMovesWhileTheyAreUnparked) {
  const auto worker = [&](bool knows) {
    types = TypeTable();
    if (knows) unique(UniqueScope::kQueued, OnConflict::kDebounce);
    restart();
  };
  newcomer("early", 1);
  commit();
  worker(true);
  clock = 1s;
  newcomer("late", 2);  // takes the lock: "early" was admitted without
  commit();
  worker(false);
  EXPECT_EQ(start(), "");
  commit();
  EXPECT_EQ(rows_of('u'), 2u) << "both are parked";
  worker(true);
  EXPECT_EQ(start(), "late");
  EXPECT_EQ(args("late"), R"({"k":1,"v":1})");
  EXPECT_EQ(events("duplicate"), (std::vector<std::string>{"early folded into \"late\""}));
}

}  // namespace
}  // namespace penstock
