// Uniqueness: the lock's rows, and what becomes of it with restarts, other policies, commands and
// bulks.
#include "tests/consumer/unique/unique_fixture.h"

namespace penstock {
namespace {

// -- The lock and its rows

TEST_F(InUnique, AJobThatEndsWithinACommitLeavesNoRow) {
  unique(UniqueScope::kUntilDone);
  host.instant = true;
  newcomer("a");
  newcomer("b");
  EXPECT_EQ(start(), "a");
  newcomer("c");
  EXPECT_EQ(start(), "c");
  commit();
  EXPECT_EQ(rows_of(keys::kUnique), 0u);
  EXPECT_EQ(rows_of(keys::kIdentity), 0u);
}

TEST_F(InUnique, ATypeWithoutUniquenessHasNoLockInItsRow) {
  job("acme", "a");
  commit();
  EXPECT_EQ(rows_of(keys::kUnique), 0u);
  EXPECT_EQ(task->queries().find("acme", "a", now())->row.unique, Digest{});
}

TEST_F(InUnique, AHolderIsKnownAfterARestart) {
  unique(UniqueScope::kUntilDone);
  newcomer("a");
  commit();
  EXPECT_EQ(rows_of(keys::kUnique), 1u);
  restart();
  newcomer("b");
  EXPECT_EQ(state("acme", "b"), "(none)");
  start();
  end("a");
  commit();
  EXPECT_EQ(rows_of(keys::kUnique), 0u);
}

TEST_F(InUnique, TimesAreForgottenWhenTheyAreOver) {
  unique(UniqueScope::kTtl);
  newcomer("a");
  start();
  end("a");
  commit();
  EXPECT_EQ(rows_of(keys::kUnique), 1u);
  EXPECT_EQ(rows_of(keys::kUniqueUntil), 1u);
  clock += 30min;
  newcomer("b");
  EXPECT_EQ(start(), "");
  clock += 30min;
  newcomer("c");
  EXPECT_EQ(start(), "c");
  end("c");
  clock += 61min;
  start();
  commit();
  EXPECT_EQ(rows_of(keys::kUnique), 0u);
  EXPECT_EQ(rows_of(keys::kUniqueUntil), 0u);
}

TEST_F(InUnique, AnotherPolicyLeavesNoLockBehind) {
  unique(UniqueScope::kUntilDone);
  newcomer("a");
  commit();
  TypePolicy other = policy(UniqueScope::kUntilDone);
  other.unique->by = {parse_json_pointer("/v").value()};
  types.add("u", other);
  restart();
  start();
  end("a");
  commit();
  EXPECT_EQ(rows_of(keys::kUnique), 0u);
}

TEST_F(InUnique, AJobFromBeforeThePolicyHoldsFromItsStart) {
  for (const UniqueScope scope : {UniqueScope::kQueuedAndRunning, UniqueScope::kUntilDone}) {
    store = MemoryStore();
    input.clear();
    seq = 0;
    types.add("u", TypePolicy{});
    make();
    newcomer("a");
    newcomer("b");
    commit();
    unique(scope);
    restart();
    EXPECT_EQ(start(), "a");
    EXPECT_EQ(holders(), "a");
    commit();
    restart();
    EXPECT_EQ(holders(), "a");
    newcomer("c");
    EXPECT_EQ(state("acme", "c"), "(none)");
    command("cancel", "acme", "a");
    command("cancel", "acme", "b");
    commit();
    EXPECT_EQ(rows_of(keys::kUnique), 0u);
  }
}

TEST_F(InUnique, AJobOfUnknownTypeMeetsTheLockWhenItsTypeIsKnown) {
  newcomer("a");
  newcomer("b");
  commit();
  unique(UniqueScope::kUntilDone);
  restart();
  EXPECT_EQ(start(), "a");
  EXPECT_EQ(state("acme", "b"), "(none)");
  end("a");
  commit();
  EXPECT_EQ(rows_of(keys::kUnique), 0u);
  EXPECT_EQ(task->jobs(), 0u);
}

// -- Commands

TEST_F(InUnique, ADeadJobIsNotRetriedWhileAnotherHoldsItsLock) {
  unique(UniqueScope::kUntilDone);
  newcomer("a");
  start();
  end("a", Discard{"no"});
  newcomer("b");
  commit();
  command("retry", "acme", "a");
  EXPECT_EQ(state("acme", "a"), "dead");
  EXPECT_EQ(task->counters().commands_without_job, 1u);
  EXPECT_NE(task->queries().find("acme", "a", now())->row.reason.find("not retried: \"b\" holds"),
            std::string::npos);
  EXPECT_EQ(start(), "b");
  end("b");
  command("retry", "acme", "a");
  EXPECT_EQ(start(), "a");
  newcomer("c");
  EXPECT_EQ(start(), "");
}

TEST_F(InUnique, ACancelledHolderLetsTheNextOneIn) {
  unique(UniqueScope::kUntilDone);
  newcomer("a", 0, R"("run_at":)" + ms(1h));
  commit();
  command("cancel", "acme", "a");
  newcomer("b");
  EXPECT_EQ(start(), "b");
  command("cancel", "acme", "b");
  newcomer("c");  // b still runs
  end("b", Interrupted{"stopped"});
  newcomer("d");
  EXPECT_EQ(start(), "d");
}

// -- Bulks

TEST_F(InUnique, AChunkThatIsFoldedAwayIsCountedAsCancelled) {
  for (const OnConflict on_conflict :
       {OnConflict::kDrop, OnConflict::kReplace, OnConflict::kKeepLatest}) {
    store = MemoryStore();
    sent.messages.clear();
    input.clear();
    seq = 0;
    unique(UniqueScope::kUntilDone, on_conflict);
    make();
    newcomer("x0", 1, R"("bulk":{"id":"x","index":0,"size":2,"on_done":{"type":"t"}})");
    newcomer("x1", 1, R"("bulk":{"id":"x","index":1,"size":2})", 2);
    newcomer("y0", 2, R"("bulk":{"id":"y","index":0,"size":1,"on_done":{"type":"t"}})");
    newcomer("y0", 2, R"("bulk":{"id":"y","index":0,"size":1})");  // repeats its id: not counted
    commit();
    ASSERT_EQ(messages("penstock.mail").size(), 1u);
    EXPECT_NE(messages("penstock.mail")[0].value->find(
                  R"("id":"y","size":1,"succeeded":0,"dead":0,"cancelled":1)"),
              std::string::npos);
    start();
    end("x0");
    end("x1");
    commit();
    ASSERT_EQ(messages("penstock.mail").size(), 2u);  // the waiting job keeps its own bulk
    EXPECT_NE(messages("penstock.mail")[1].value->find(
                  R"("id":"x","size":2,"succeeded":2,"dead":0,"cancelled":0)"),
              std::string::npos);
  }
}

TEST_F(InUnique, AChunkInConflictThatDiesIsCountedAsDead) {
  unique(UniqueScope::kUntilDone, OnConflict::kDead);
  newcomer("a");
  newcomer("y0", 2, R"("bulk":{"id":"y","index":0,"size":1,"on_done":{"type":"t"}})");
  commit();
  ASSERT_EQ(messages("penstock.mail").size(), 1u);
  EXPECT_NE(messages("penstock.mail")[0].value->find(R"("dead":1,"cancelled":0)"),
            std::string::npos);
}

}  // namespace
}  // namespace penstock
