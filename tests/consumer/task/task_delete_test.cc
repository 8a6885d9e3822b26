// Jobs that an operator deletes, and what was asked of a running job whose worker dies.
#include "state/rows/keys.h"
#include "tests/consumer/task/task_fixture.h"

namespace penstock {
namespace {

struct Deleting : Tasking {
  Deleting() {
    TypePolicy policy;
    policy.keep_succeeded = policy.keep_dead = 1h;
    policy.retry = {.attempts = 3, .backoff = Backoff::kFixed, .base = 10s, .jitter = 0};
    types.add("t", policy);
  }
  void kill(const std::string& id) {
    job("acme", id);
    start();
    end(id, Discard{"no use"});
    commit();
  }
  void deleted_while_it_runs() {
    job("acme", "a");
    start();
    command("delete", "acme", "a");
    ASSERT_EQ(host.stops.size(), 1u);
    ASSERT_EQ(state("acme", "a"), "running");
    ASSERT_TRUE(why("acme", "a").ends_with("; it is asked to stop, as it has been deleted"))
        << why("acme", "a");
  }
  void expect_gone() {
    EXPECT_EQ(state("acme", "a"), "(none)");
    commit();
    EXPECT_EQ(rows_of(keys::kLine) + rows_of(keys::kDue) + rows_of(keys::kEnded) +
                  rows_of(keys::kIdentity),
              0u);
    clock += 1h;
    EXPECT_EQ(start(), "");
  }
};

TEST_F(Tasking, DeleteEndsAWaitingJobWhereverItLies) {
  job("acme", "running");
  start();
  job("acme", "line");
  job("acme", "due", "\"run_at\":" + ms(1h) + ",\"expires_at\":" + ms(2h));
  record("acme", R"({"type":"other","id":"parked"})");
  for (int i = 0; i < 100; ++i) job("acme", "row" + std::to_string(i));
  commit();
  for (const char* id : {"line", "due", "parked", "row90"}) {
    command("delete", "acme", id);
    EXPECT_EQ(state("acme", id), "(none)") << id;
  }
  EXPECT_EQ(task->counters().cancelled, 4u);
  commit();
  EXPECT_EQ(task->jobs(), 100u);
  EXPECT_EQ(rows_of(keys::kDue) + rows_of(keys::kUnknownType) + rows_of(keys::kExpiry), 0u);
}

TEST_F(Deleting, DeleteErasesAnEndedJobWithAllItsRows) {
  kill("a");
  kill("b");
  command("delete", "acme", "a");
  EXPECT_EQ(state("acme", "a"), "(none)");
  EXPECT_EQ(state("acme", "b"), "dead");
  EXPECT_EQ(task->counters().cancelled, 0u);
  EXPECT_EQ(task->counters().commands_without_job, 0u);
  commit();
  EXPECT_EQ(rows_of(keys::kEnded), 1u);
  EXPECT_EQ(rows_of(keys::kIdentity), 1u);
  EXPECT_EQ(task->jobs(), 1u);
  command("retry", "acme", "a");
  EXPECT_EQ(task->counters().commands_without_job, 1u);
}

TEST_F(Deleting, DeleteInTheCommitOfTheEndLeavesNothingEither) {
  job("acme", "a");
  start();
  end("a", Discard{"no use"});
  command("delete", "acme", "a");
  commit();
  EXPECT_EQ(rows_of(keys::kEnded) + rows_of(keys::kIdentity), 0u);
  EXPECT_EQ(dead().size(), 1u) << "what has left stays";
}

TEST_F(Deleting, TheIdOfADeletedJobIsADuplicateForTheWindow) {
  queue.dedup_window = 1h;
  kill("ended");
  job("acme", "waits", "\"run_at\":" + ms(1min));
  command("delete", "acme", "ended");
  command("delete", "acme", "waits");
  commit();
  restart();
  job("acme", "ended");
  job("acme", "waits");
  EXPECT_EQ(task->counters().duplicate, 2u);
  clock = 2h;
  start();
  job("acme", "ended");
  job("acme", "waits");
  EXPECT_EQ(start(), "ended");
  EXPECT_EQ(task->counters().admitted, 2u);
}

TEST_F(Deleting, ARunningJobIsAskedToStopAndNotKeptHoweverItEnds) {
  const OutcomeValue outcomes[] = {
      Done{},          RetryLater{"no", {}},   Snooze{5s}, Discard{"no"}, NextIteration{"1"},
      CancelJob{"no"}, Interrupted{"it stops"}};
  for (const OutcomeValue& outcome : outcomes) {
    SCOPED_TRACE(outcome.index());
    input.clear();
    store = MemoryStore();
    host = FakeTaskHost();
    seq = 0;
    make();
    ASSERT_NO_FATAL_FAILURE(deleted_while_it_runs());
    end("a", outcome);
    EXPECT_EQ(task->counters().cancelled + task->counters().succeeded + task->counters().dead, 1u);
    expect_gone();
  }
}

TEST_F(Deleting, ARunningJobEndsAlthoughItsWorkerDies) {
  ASSERT_NO_FATAL_FAILURE(deleted_while_it_runs());
  commit();
  restart();
  EXPECT_TRUE(why("acme", "a").starts_with("was deleted while it ran")) << why("acme", "a");
  EXPECT_EQ(start(), "");
  EXPECT_EQ(task->counters().cancelled, 1u);
  expect_gone();
}

TEST_F(Deleting, ACancelAfterTheDeleteOfARunningJobTakesNothingBack) {
  job("acme", "a");
  start();
  command("delete", "acme", "a");
  command("cancel", "acme", "a");
  end("a");
  expect_gone();
}

TEST_F(Deleting, ACancelledJobThatIsDoneIsKept) {
  job("acme", "a");
  start();
  command("cancel", "acme", "a");
  end("a");
  EXPECT_EQ(state("acme", "a"), "succeeded");
  commit();
  command("retry", "acme", "a");
  EXPECT_EQ(start(), "a") << "the cancel was of the series before";
}

TEST_F(Tasking, ADeleteOfNoSuchJobChangesNothingAndIsCounted) {
  job("acme", "a");
  start();
  end("a");
  commit();
  command("delete", "acme", "a");
  command("delete", "bolt", "never");
  EXPECT_EQ(task->counters().commands, 2u);
  EXPECT_EQ(task->counters().commands_without_job, 2u);
}

TEST_F(Deleting, ABulkCountsADeletedChunkAsCancelledIfItLivedAndKeepsItsCountIfItHadEnded) {
  const auto chunk = [&](int index) {
    return R"("bulk":{"id":"b","index":)" + std::to_string(index) +
           R"(,"size":2,"on_done":{"type":"t","args":{}}})";
  };
  job("acme", "c0", chunk(0));
  job("acme", "c1", chunk(1));
  start();
  end("c0", Discard{"no"});
  commit();
  command("delete", "acme", "c0");
  command("delete", "acme", "c1");
  commit();
  const auto sent_to_queue = messages("penstock.mail");
  ASSERT_EQ(sent_to_queue.size(), 1u);
  EXPECT_NE(sent_to_queue[0].value->find(R"("dead":1)"), std::string::npos)
      << *sent_to_queue[0].value;
  EXPECT_NE(sent_to_queue[0].value->find(R"("cancelled":1)"), std::string::npos);
}

// -- A cancel outlives the worker

TEST_F(Tasking, ACancelledRunningJobDoesNotRunAgainWhenItsWorkerDies) {
  job("acme", "a");
  job("bolt", "b");
  start();
  command("cancel", "acme", "a");
  commit();
  restart();
  EXPECT_EQ(start(), "b");
  EXPECT_EQ(task->counters().cancelled, 1u);
  EXPECT_EQ(state("acme", "a"), "(none)");
}

TEST_F(Tasking, WhatWasCancelledBeforeItsWorkerDiedRunsAgainWhenItIsRetried) {
  job("acme", "a");
  start();
  command("cancel", "acme", "a");
  commit();
  restart();
  command("retry", "acme", "a");
  EXPECT_EQ(start(), "a");
}

TEST_F(Tasking, WhatWasCancelledBeforeItsWorkerDiedEndsWithWhateverMovesIt) {
  job("acme", "a");
  start();
  command("cancel", "acme", "a");
  commit();
  restart();
  command("reschedule", "acme", "a", "\"run_at\":" + ms(1h));
  EXPECT_EQ(state("acme", "a"), "(none)");
  EXPECT_EQ(task->counters().cancelled, 1u);
}

}  // namespace
}  // namespace penstock
