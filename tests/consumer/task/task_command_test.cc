// Commands, crash notices and what is kept of ended jobs.
#include "tests/consumer/task/task_fixture.h"

namespace penstock {
namespace {

// -- Cancel

TEST_F(Tasking, CancelEndsAWaitingJobWhereverItLies) {
  job("acme", "running");
  start();
  job("acme", "line");
  job("acme", "due", "\"run_at\":" + ms(1h));
  record("acme", R"({"type":"other","id":"parked"})");
  for (int i = 0; i < 100; ++i) job("acme", "row" + std::to_string(i));
  commit();
  for (const char* id : {"line", "due", "parked", "row90"}) {
    command("cancel", "acme", id);
    EXPECT_EQ(state("acme", id), "(none)") << id;
  }
  EXPECT_EQ(task->counters().cancelled, 4u);
  commit();
  EXPECT_EQ(task->jobs(), 100u);
  EXPECT_EQ(rows_of('d') + rows_of('u'), 0u);
}

TEST_F(Tasking, CancelAsksARunningJobToStopAndEndsItHoweverItFails) {
  job("acme", "a");
  start();
  command("cancel", "acme", "a");
  ASSERT_EQ(host.stops.size(), 1u);
  EXPECT_EQ(host.stops[0], token("a"));
  EXPECT_EQ(state("acme", "a"), "running");
  end("a", RetryLater{"stopped", {}});
  EXPECT_EQ(task->counters().cancelled, 1u);
  clock += 1h;
  EXPECT_EQ(start(), "");
}

TEST_F(Tasking, ACancelledJobThatIsDoneBeforeItHearsOfItSucceeds) {
  job("acme", "a");
  start();
  command("cancel", "acme", "a");
  end("a");
  EXPECT_EQ(task->counters().succeeded, 1u);
  EXPECT_EQ(task->counters().cancelled, 0u);
}

TEST_F(Tasking, ACommandOfNoSuchJobChangesNothingAndIsCounted) {
  job("acme", "a");
  start();
  end("a");
  commit();
  command("cancel", "acme", "a");
  command("retry", "acme", "never");
  command("reschedule", "bolt", "a", "\"run_at\":" + ms(1h));
  EXPECT_EQ(task->counters().commands, 3u);
  EXPECT_EQ(task->counters().commands_without_job, 3u);
  EXPECT_EQ(start(), "");
}

// -- Retry

struct Failing : Tasking {
  void kill_job(const std::string& id) {
    job("acme", id);
    start();
    end(id, Discard{"no use"});
    commit();
  }
};

TEST_F(Failing, RetryBeginsANewSeriesOfADeadJob) {
  kill_job("a");
  EXPECT_EQ(state("acme", "a"), "dead");
  command("retry", "acme", "a");
  EXPECT_EQ(start(), "a");
  EXPECT_EQ(host.starts.back().attempt, 1);
  end("a");
  commit();
  EXPECT_EQ(state("acme", "a"), "(none)");
  EXPECT_EQ(rows_of('e') + rows_of('i'), 0u);
}

TEST_F(Failing, RetryOfADeadJobWorksAfterARestart) {
  kill_job("a");
  restart();
  command("retry", "acme", "a");
  commit();
  restart();
  EXPECT_EQ(start(), "a");
}

TEST_F(Failing, RetryOfADeadJobPastItsExpiryRunsIt) {
  job("acme", "a", "\"expires_at\":" + ms(10s));
  start();
  end("a", Discard{"no use"});
  commit();
  clock = 1h;
  command("retry", "acme", "a");
  EXPECT_EQ(start(), "a");
  end("a");
  EXPECT_EQ(task->counters().succeeded, 1u);
  EXPECT_EQ(task->counters().expired, 0u);
}

TEST_F(Tasking, ARetriedJobNoLongerExpiresHoweverLongItWaits) {
  job("acme", "a", "\"expires_at\":" + ms(10s) + ",\"run_at\":" + ms(5s));
  command("retry", "acme", "a");
  commit();
  EXPECT_EQ(rows_of(keys::kExpiry), 0u);
  restart();
  clock = 1h;
  EXPECT_EQ(start(), "a");
  EXPECT_EQ(task->counters().expired, 0u);
}

TEST_F(Tasking, RetryOfAWaitingRetryRunsItNowFromTheFirstAttempt) {
  job("acme", "a");
  start();
  end("a", RetryLater{"no", {}});
  command("retry", "acme", "a");
  EXPECT_EQ(start(), "a");
  EXPECT_EQ(host.starts.back().attempt, 1);
  command("retry", "acme", "a");
  EXPECT_EQ(task->counters().commands_without_job, 1u);
  EXPECT_EQ(task->attempts().running(), 1u);
}

// -- Reschedule

TEST_F(Tasking, RescheduleMovesAJobsTimeBothWays) {
  job("acme", "a", "\"run_at\":" + ms(1h));
  job("bolt", "b");
  commit();
  command("reschedule", "acme", "a", "\"run_at\":" + ms(1s));
  command("reschedule", "bolt", "b", "\"run_at\":" + ms(2s));
  EXPECT_EQ(start(), "");
  clock = 1s;
  EXPECT_EQ(start(), "a");
  clock = 2s;
  EXPECT_EQ(start(), "b");
}

TEST_F(Failing, RescheduleOfAnEndedOrRunningJobChangesNothing) {
  kill_job("a");
  job("acme", "b");
  start();
  command("reschedule", "acme", "a", "\"run_at\":" + ms(1s));
  command("reschedule", "acme", "b", "\"run_at\":" + ms(1s));
  EXPECT_EQ(task->counters().commands_without_job, 2u);
  EXPECT_EQ(state("acme", "a"), "dead");
  EXPECT_EQ(state("acme", "b"), "running");
}

// -- Crash notices

struct Crashing : Tasking {
  void notice(const std::string& id) { record("acme", id, {{std::string(kCrashHeader), "1"}}); }
};

TEST_F(Crashing, AJobThatWasInFlightInThreeDeathsIsDeadAndItsNeighboursGoOn) {
  job("acme", "poison");
  job("acme", "b");
  commit();
  for (int death = 1; death <= 3; ++death) {
    EXPECT_EQ(start(), "poison");
    commit();
    restart();
    notice("poison");
  }
  EXPECT_EQ(start(), "b");
  commit();
  ASSERT_EQ(dead().size(), 1u);
  EXPECT_EQ(dead()[0].headers.at("penstock-reason"), "crashed");
}

TEST_F(Crashing, NoticesThatComeWhileItRunsAgainCountToo) {
  job("acme", "poison");
  commit();
  for (int death = 1; death <= 3; ++death) {
    EXPECT_EQ(start(), "poison");
    notice("poison");  // of the death before
    commit();
    restart();
  }
  EXPECT_EQ(start(), "");
  commit();
  ASSERT_EQ(dead().size(), 1u);
  EXPECT_EQ(dead()[0].headers.at("penstock-reason"), "crashed");
}

TEST_F(Crashing, AJobOfTwoDeathsWaitsWhileAnotherSuspectRunsAndItsNeighboursDoNot) {
  job("acme", "suspect");
  job("acme", "b");
  notice("suspect");
  notice("suspect");
  host.suspect_runs = true;
  EXPECT_EQ(start(), "b");
  end("b");
  EXPECT_EQ(start(), "");
  EXPECT_EQ(task->next_time(), base() + kSuspectWait + kWallResolution);
  clock = kSuspectWait + kWallResolution;
  EXPECT_EQ(start(), "") << "the other one still runs";
  commit();
  restart();
  host.suspect_runs = false;
  clock = 2 * (kSuspectWait + kWallResolution);
  EXPECT_EQ(start(), "suspect");
  end("suspect");
  EXPECT_EQ(task->counters().succeeded, 1u);
}

TEST_F(Crashing, ASuspectKeepsItsPlaceInStrictOrder) {
  queue.order = Order::kStrict;
  job("acme", "suspect");
  job("acme", "b");
  notice("suspect");
  notice("suspect");
  host.suspect_runs = true;
  EXPECT_EQ(start(), "");
  host.suspect_runs = false;
  clock = kSuspectWait + kWallResolution;
  EXPECT_EQ(start(), "suspect");
  end("suspect");
  EXPECT_EQ(start(), "b");
}

TEST_F(Crashing, TwoDeathsAreNotEnoughAndANoticeOfNoJobIsIgnored) {
  job("acme", "a");
  notice("a");
  notice("a");
  notice("unheard of");
  EXPECT_EQ(start(), "a");
  end("a");
  commit();
  EXPECT_TRUE(dead().empty());
}

TEST_F(Crashing, WhatADeathLeftBehindWaitsForItsNoticeAndItsNeighboursDoNot) {
  job("acme", "poison");
  job("beta", "b");
  commit();
  EXPECT_EQ(start(), "poison b");
  restart();
  host.notices["poison"] = Offset{2};
  EXPECT_EQ(start(), "b");
  EXPECT_EQ(why("acme", "poison"),
            "waits for the notice of a worker process that died while it ran to be read");
  EXPECT_EQ(start(), "");
  notice("poison");
  EXPECT_EQ(start(), "poison");
}

TEST_F(Crashing, AJobIsDeadAtItsThirdDeathThoughItsProcessesNeverReadOfTheOthers) {
  job("acme", "poison");
  commit();
  EXPECT_EQ(start(), "poison");
  for (int death = 1; death <= 3; ++death) {
    restart();  // nothing is committed: the notices before are read again
    host.notices["poison"] = Offset{death};
    EXPECT_EQ(start(), "");
    notice("poison");
    EXPECT_EQ(start(), death < 3 ? "poison" : "");
  }
  commit();
  ASSERT_EQ(dead().size(), 1u);
  EXPECT_EQ(dead()[0].headers.at("penstock-reason"), "crashed");
}

TEST_F(Crashing, ANoticeThatIsNotToComeIsFoundOutByLookingAgain) {
  job("acme", "a");
  host.notices["a"] = Offset{7};
  EXPECT_EQ(start(), "");
  EXPECT_EQ(task->next_time(), base() + PollGate::kLookEvery);
  host.notices.clear();
  clock = PollGate::kLookEvery;
  EXPECT_EQ(start(), "a");
}

TEST_F(Crashing, WhatWaitsForItsNoticeHoldsTheAccountBackInStrictOrder) {
  queue.order = Order::kStrict;
  job("acme", "a");
  job("acme", "b");
  host.notices["a"] = Offset{2};
  EXPECT_EQ(start(), "");
  notice("a");
  EXPECT_EQ(start(), "a");
}

// -- Keep

TEST_F(Failing, ADeadJobIsListedUntilItsKeepIsOver) {
  TypePolicy policy;
  policy.keep_dead = 1h;
  types.add("t", policy);
  kill_job("a");
  const auto info = task->queries().find("acme", "a", now());
  ASSERT_TRUE(info.has_value());
  EXPECT_EQ(info->row.reason, "discarded: no use");
  EXPECT_LE(info->row.run_at, now().wall);
  clock = 59min;
  start();
  EXPECT_EQ(state("acme", "a"), "dead");
  clock = 61min;
  start();
  commit();
  EXPECT_EQ(state("acme", "a"), "(none)");
  EXPECT_EQ(rows_of('e') + rows_of('i'), 0u);
  EXPECT_EQ(task->jobs(), 0u);
}

TEST_F(Tasking, SucceededJobsAreKeptWhereThePolicySaysSo) {
  TypePolicy policy;
  policy.keep_succeeded = 1min;
  types.add("t", policy);
  job("acme", "a");
  start();
  end("a");
  commit();
  restart();
  EXPECT_EQ(state("acme", "a"), "succeeded");
  job("acme", "a");
  EXPECT_EQ(task->counters().duplicate, 1u);
  clock = 2min;
  start();
  EXPECT_EQ(state("acme", "a"), "(none)");
  job("acme", "a");
  EXPECT_EQ(task->counters().duplicate, 2u);  // the dedup window is longer
}

TEST_F(Crashing, AnIterationThatEndsMakesTheDeathsBeforeItForgotten) {
  job("acme", "long");
  for (int iteration = 0; iteration < 5; ++iteration) {
    EXPECT_EQ(start(), "long");
    commit();
    restart();
    notice("long");
    EXPECT_EQ(start(), "long");
    end("long", NextIteration{std::to_string(iteration)});
    commit();
  }
  EXPECT_EQ(start(), "long");
  commit();
  EXPECT_TRUE(dead().empty());
}

TEST_F(Crashing, ACheckpointDoesNotMakeThemForgotten) {
  job("acme", "poison");
  for (int death = 1; death <= 3; ++death) {
    EXPECT_EQ(start(), "poison");
    task->checkpoint(token("poison"), std::to_string(death));
    commit();
    restart();
    notice("poison");
  }
  EXPECT_EQ(start(), "");
  commit();
  ASSERT_EQ(dead().size(), 1u);
  EXPECT_EQ(dead()[0].headers.at("penstock-reason"), "crashed");
}

}  // namespace
}  // namespace penstock
