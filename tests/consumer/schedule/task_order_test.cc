// Which job of an account starts when.
#include "tests/consumer/task/task_fixture.h"

namespace penstock {
namespace {

TEST_F(Tasking, OneAttemptOfAnAccountAtATimeInTheOrderOfAdmission) {
  for (const char* id : {"a", "b", "c"}) job("acme", id);
  EXPECT_EQ(start(), "a");
  EXPECT_EQ(start(), "");
  end("a");
  EXPECT_EQ(start(), "b");
  end("b");
  EXPECT_EQ(start(), "c");
}

TEST_F(Tasking, AccountConcurrencyIsAnUpperBoundAndStartsAreInOrder) {
  queue.account_concurrency = 3;
  for (const char* id : {"a", "b", "c", "d", "e"}) job("acme", id);
  EXPECT_EQ(start(), "a b c");
  EXPECT_EQ(start(), "");
  end("b");
  EXPECT_EQ(start(), "d");
  end("a");
  end("c");
  EXPECT_EQ(start(), "e");
}

TEST_F(Tasking, TheNextJobOfAnAccountThatIsNotFullIsReady) {
  queue.account_concurrency = 2;
  for (const char* id : {"a", "b", "c"}) job("acme", id);
  EXPECT_EQ(start(1), "a");
  EXPECT_EQ(state("acme", "b"), "ready");
  EXPECT_EQ(state("acme", "c"), "waiting");
  EXPECT_EQ(start(1), "b");
  EXPECT_EQ(state("acme", "c"), "waiting");
  end("a");
  EXPECT_EQ(state("acme", "c"), "ready");
}

TEST_F(Tasking, AccountsTakeTurnsHoweverManyJobsOneHas) {
  for (int i = 0; i < 100; ++i) job("noisy", "n" + std::to_string(i));
  for (int i = 0; i < 3; ++i) job("quiet", "q" + std::to_string(i));
  commit();
  std::string order;
  for (int i = 0; i < 6; ++i) {
    const std::string id = start(1);
    order += id[0];
    end(id);
  }
  EXPECT_EQ(order, "nqnqnq");
}

TEST_F(Tasking, CapacityBoundsWhatStarts) {
  for (int i = 0; i < 10; ++i) job("acme" + std::to_string(i), "a");
  task->advance(now());
  EXPECT_EQ(task->start_ready(4, now()), 0);
  EXPECT_EQ(task->attempts().running(), 4u);
  EXPECT_EQ(task->start_ready(20, now()), 14);
}

TEST_F(Tasking, InstantAttemptsGiveTheirSlotBack) {
  host.instant = true;
  for (int i = 0; i < 10; ++i) job("acme", std::to_string(i));
  EXPECT_EQ(task->start_ready(1, now()), 1);
  EXPECT_EQ(task->counters().succeeded, 10u);
}

// -- What waits for its time

TEST_F(Tasking, InCreatedOrderARetryHoldsNobodyBackAndComesFirstWhenItIsDue) {
  for (const char* id : {"a", "b", "c"}) job("acme", id);
  start();
  end("a", RetryLater{"no", {}});
  EXPECT_EQ(start(), "b");
  clock += 10s + kWallResolution;
  EXPECT_EQ(start(), "");
  end("b");
  EXPECT_EQ(start(), "a");
}

TEST_F(Tasking, InStrictOrderARetryHoldsTheAccountBackUntilItEnds) {
  queue.order = Order::kStrict;
  for (const char* id : {"a", "b"}) job("acme", id);
  job("bolt", "c");
  EXPECT_EQ(start(), "a c");
  end("a", RetryLater{"no", {}});
  EXPECT_EQ(start(), "");
  EXPECT_EQ(task->next_time(), base() + 10s + kWallResolution);
  clock += 10s;
  EXPECT_EQ(start(), "");
  clock += kWallResolution;
  EXPECT_EQ(start(), "a");
  end("a");
  EXPECT_EQ(start(), "b");
}

TEST_F(Tasking, InStrictOrderAScheduledJobHoldsTheLaterOnesBackAlsoAfterARestart) {
  queue.order = Order::kStrict;
  job("acme", "a", "\"run_at\":" + ms(1min));
  job("acme", "b");
  EXPECT_EQ(start(), "");
  commit();
  restart();
  EXPECT_EQ(start(), "");
  clock += 1min;
  EXPECT_EQ(start(), "a");
}

TEST_F(Tasking, InStrictOrderCancellingTheFirstJobLetsTheNextGo) {
  queue.order = Order::kStrict;
  job("acme", "a", "\"run_at\":" + ms(1h));
  job("acme", "b");
  EXPECT_EQ(start(), "");
  command("cancel", "acme", "a");
  EXPECT_EQ(start(), "b");
}

TEST_F(Tasking, InStrictOrderMovingTheFirstJobsTimeWakesItsAccount) {
  queue.order = Order::kStrict;
  job("acme", "a", "\"run_at\":" + ms(1h));
  EXPECT_EQ(start(), "");
  command("reschedule", "acme", "a", "\"run_at\":" + ms(0s));
  EXPECT_EQ(start(), "a");
}

TEST_F(Tasking, InReadyOrderTheFirstReadyIsTheFirstServed) {
  queue.order = Order::kReady;
  job("acme", "running");
  start();
  job("acme", "late", "\"run_at\":" + ms(3s));
  job("acme", "early", "\"run_at\":" + ms(2s));
  job("acme", "earliest", "\"run_at\":" + ms(1s));
  clock += 5s;
  job("acme", "now");
  task->advance(now());
  std::string order;
  for (std::string id = "running"; !id.empty(); id = start()) {
    order += id + " ";
    end(id);
  }
  EXPECT_EQ(order, "running earliest early late now ");
}

TEST_F(Tasking, InReadyOrderTheSameTimeGoesByTheOrderOfAdmission) {
  queue.order = Order::kReady;
  for (const char* id : {"a", "b", "c"}) job("acme", id, "\"run_at\":" + ms(1s));
  clock += 1s;
  EXPECT_EQ(start(), "a");
  end("a");
  EXPECT_EQ(start(), "b");
}

TEST_F(Tasking, AnInterruptedJobRunsAgainFirst) {
  for (const char* id : {"a", "b"}) job("acme", id);
  start();
  end("a", Interrupted{"the lease was over"});
  EXPECT_EQ(start(), "a");
  EXPECT_EQ(host.starts.back().attempt, 1);
}

// A long line is in memory only at its head; a job that comes back to the head is not lost.
TEST_F(Tasking, AJobThatComesBackToTheEdgeOfTheLoadedOnesIsNotLost) {
  for (int i = 0; i < 200; ++i) job("acme", std::to_string(i));
  commit();
  for (int i = 0; i < 200; ++i) {
    const std::string id = start();
    ASSERT_EQ(id, std::to_string(i));
    end(id, Interrupted{"stopped"});
    ASSERT_EQ(start(), id);
    if (i % 7 == 0) commit();
    end(id);
  }
  commit();
  EXPECT_EQ(start(), "");
  EXPECT_EQ(task->jobs(), 0u);
}

TEST_F(Tasking, TheSameAfterARestartAtEveryJob) {
  for (int i = 0; i < 60; ++i) job("acme", std::to_string(i));
  commit();
  for (int i = 0; i < 60; ++i) {
    restart();
    ASSERT_EQ(start(), std::to_string(i));
    end(std::to_string(i));
    commit();
  }
  EXPECT_EQ(task->jobs(), 0u);
}

TEST_F(Tasking, AccountsLongLinesCostNoMemory) {
  for (int i = 0; i < 10'000; ++i) {
    job("acme", std::to_string(i));
    if (!task->wants_input()) commit();
    feed();
  }
  commit();
  EXPECT_EQ(task->counters().admitted, 10'000u);
  EXPECT_LE(task->live_jobs(), Lines::kKeptJobs);
  host.instant = true;
  start();
  commit();
  EXPECT_EQ(task->counters().succeeded, 10'000u);
  EXPECT_EQ(task->jobs(), 0u);
  EXPECT_EQ(task->live_jobs(), 0u);
  for (int i = 0; i < 10'000; ++i)
    ASSERT_EQ(host.starts[static_cast<std::size_t>(i)].id, std::to_string(i));
}

}  // namespace
}  // namespace penstock
