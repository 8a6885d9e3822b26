// What becomes of copies when operators, or partitions, pause, cancel and delete their replays.
#include "tests/consumer/task/copies_fixture.h"

namespace penstock {
namespace {

struct ChangedCopies : Copying {
  // Two jobs have run and are being copied by a replay of this name and these terms.
  void copy_two(const std::string& name = "r", const std::string& terms = "{}") {
    start_replay(name, terms);
    read_on();
  }
  void remove(const std::string& name) {
    records.erase(name);
    ASSERT_TRUE(control.apply(replay_key({"mail", name}), std::nullopt));
    task->set_control(&control, now());
  }
  // Several steps, with time between them.
  void pass(int steps = 5) {
    for (int i = 0; i < steps; ++i) {
      task->advance(now());
      commit();
      clock += 1s;
    }
  }
  std::int64_t cancelled(const std::string& name = "r") {
    return row(name).counts.ended[end_of(JobState::kCancelled)];
  }
};

TEST_F(ChangedCopies, CancellingEndsCopiesThatWaitForTheirTime) {
  TypePolicy later;
  later.retry.base = 6h;
  types.add("t", later);
  job("acme", "a");
  job("acme", "b", R"("run_at":"2100-01-01T00:00:00Z")");
  EXPECT_EQ(start(1), "a");
  end("a");
  copy_two();
  EXPECT_EQ(start(1), "replay/r/a");
  end("replay/r/a", RetryLater{"not now", {}});
  commit();
  EXPECT_EQ(row().counts.live(), 2);
  change("r", ReplayState::kCancelled);
  pass();
  EXPECT_EQ(row().counts.live(), 0);
  EXPECT_EQ(cancelled(), 2);
}

TEST_F(ChangedCopies, CancellingEndsCopiesThatWaitAtAGate) {
  ASSERT_TRUE(control.apply("pause/mail/account/acme", R"({"by":"me"})"));
  job("acme", "a");
  job("acme", "b");
  (void)run_all();
  copy_two();
  task->set_control(&control, now());
  EXPECT_EQ(run_all(), "");
  commit();
  change("r", ReplayState::kCancelled);
  pass();
  EXPECT_EQ(cancelled(), 2);
}

TEST_F(ChangedCopies, CancellingLeavesRunningCopiesAndOtherJobsAlone) {
  job("acme", "a");
  job("beta", "b");
  (void)run_all();
  copy_two();
  job("acme", "live");
  job("acme", "later", R"("run_at":"2100-01-01T00:00:00Z")");
  EXPECT_EQ(start(1), "live");
  EXPECT_EQ(start(1), "replay/r/b");
  change("r", ReplayState::kCancelled);
  pass();
  EXPECT_EQ(row().counts.live(), 1);
  end("replay/r/b");
  EXPECT_EQ(row().counts.live(), 0);
  EXPECT_EQ(row().counts.ended[end_of(JobState::kSucceeded)], 1);
  EXPECT_EQ(state("acme", "later"), "scheduled");
}

TEST_F(ChangedCopies, CopiesOfADeletedReplayEndAndDoNotRun) {
  job("acme", "a");
  (void)run_all();
  copy_two();
  change("r", ReplayState::kPaused);
  commit();
  remove("r");
  EXPECT_EQ(run_all(), "");
  pass();
  EXPECT_EQ(run_all(), "");
  task->replays().forget_deleted();
  commit();
  EXPECT_EQ(rows_of('p'), 0u);
}

TEST_F(ChangedCopies, ARunningCopysTypeOutlivesItsReplay) {
  copy_two();
  job("acme", "a");
  (void)run_all();
  ReplayRecord record = replay_all(R"({"concurrency":2})");
  set("q", record);
  const TypeRuntime* const limited = task->replays().find("q")->type_of(types.find("t"));
  ASSERT_NE(limited, types.find("t"));
  remove("q");
  record.started_at += 1s;
  record.terms.concurrency = 7;
  set("q", record);
  EXPECT_EQ(task->replays().find("q")->type_of(types.find("t")), limited);
  EXPECT_EQ(limited->policy.limits.back().slots, 7);
}

// -- Pauses that partitions say

TEST_F(ChangedCopies, APauseOfAnotherPartitionHoldsHereToo) {
  job("acme", "a");
  job("acme", "b");
  (void)run_all();
  start_replay();
  const ReplayPause pause{records["r"].started_at, 0, "its program failed", now().wall};
  ASSERT_TRUE(control.apply(replay_pause_key({"mail", "r"}, 3), to_json_text(pause)));
  task->set_control(&control, now());
  EXPECT_TRUE(task->copies().sources().empty());
  ReplayRecord resumed = records["r"];
  ++resumed.resumes;
  set("r", resumed);
  EXPECT_FALSE(task->copies().sources().empty());
}

TEST_F(ChangedCopies, APauseThatComesLateReplacesNothing) {
  start_replay();
  ReplayRecord record = records["r"];
  const ReplayPause late{record.started_at, 0, "many are dead", now().wall};
  const auto say = [&] {
    EXPECT_TRUE(control.apply(replay_pause_key({"mail", "r"}, 0), to_json_text(late)));
    return in_force(*control.replay({"mail", "r"}), control.replay_pauses({"mail", "r"})).state;
  };
  EXPECT_EQ(say(), ReplayState::kPaused);
  ++record.resumes;
  set("r", record);
  EXPECT_EQ(say(), ReplayState::kRunning);
  record.state = ReplayState::kCancelled;
  set("r", record);
  EXPECT_EQ(say(), ReplayState::kCancelled);
  remove("r");
  EXPECT_TRUE(control.apply(replay_pause_key({"mail", "r"}, 0), to_json_text(late)));
  EXPECT_FALSE(control.replay({"mail", "r"}));
  record = replay_all();
  record.started_at += 1s;
  set("r", record);
  EXPECT_EQ(say(), ReplayState::kRunning);
}

// -- Several replays

TEST_F(ChangedCopies, ARecordIsTakenForTheReplayThatItWasReadFor) {
  job("acme", "a");
  job("acme", "b");
  (void)run_all();
  start_replay("one");
  start_replay("other");
  const auto sources = task->copies().sources();
  ASSERT_EQ(sources.size(), 2u);
  LogRecord second{Offset{1}, base(), *input[1].key, *input[1].value, {}};
  task->advance(now());
  // It was read for "other", which has taken the first one already.
  LogRecord first{Offset{0}, base(), *input[0].key, *input[0].value, {}};
  EXPECT_EQ(task->replay(sources[1].of, {&first, 1}, now()), 1u);
  EXPECT_EQ(task->replay(sources[1].of, {&second, 1}, now()), 1u);
  EXPECT_EQ(row("one").next, Offset{0});
  EXPECT_EQ(row("other").counts.scanned, 2);
}

TEST_F(ChangedCopies, WhatWasReadForADeletedReplayIsNotTakenForTheNextOfItsName) {
  job("acme", "a");
  job("acme", "b");
  (void)run_all();
  start_replay();
  const Copies::Reading before = task->copies().sources().front().of;
  change("r", ReplayState::kCancelled);
  remove("r");
  clock += 1s;
  start_replay();
  task->advance(now());
  LogRecord second{Offset{1}, base(), *input[1].key, *input[1].value, {}};
  EXPECT_EQ(task->replay(before, {&second, 1}, now()), 0u);
  EXPECT_EQ(row().next, Offset{0});
}

// -- Through a program

TEST_F(ChangedCopies, WhatAProgramHasNotAnsweredIsNotCopied) {
  job("acme", "a");
  job("acme", "b");
  (void)run_all();
  start_replay("r", R"({"through":["/bin/cat"]})");
  const Copies::Source source = task->copies().sources().front();
  LogRecord first{Offset{0}, base(), *input[0].key, *input[0].value, {}};
  ASSERT_TRUE(task->copies().line_for(source.of, first));
  task->copies().pause(source.of, "its program failed");
  EXPECT_FALSE(task->copies().take_answered(source.of, first, std::nullopt));
  EXPECT_TRUE(task->copies().sources().empty());
  ReplayRecord resumed = records["r"];
  ++resumed.resumes;
  set("r", resumed);
  task->advance(now());
  EXPECT_TRUE(task->copies().line_for(source.of, first)) << "it is asked again";
  EXPECT_TRUE(task->copies().take_answered(source.of, first,
                                           R"({"type":"t","id":"a","args":{"fixed":true}})"));
  EXPECT_EQ(row().counts.admitted, 1);
}

}  // namespace
}  // namespace penstock
