// What a new owner of a partition knows of its replays before it has read its rows.
#include "tests/consumer/task/copies_fixture.h"

namespace penstock {
namespace {

TEST_F(Copying, ACommitBeforeItsRowIsRestoredLeavesTheReplayWhereItWas) {
  for (const char* const id : {"a", "b", "c"}) job("acme", id);
  EXPECT_EQ(run_all(), "a b c");
  start_replay();
  read_on(2);
  commit();
  restores = false;
  make();
  task->set_control(&control, now());
  commit();
  while (task->restoring()) task->restore_some(now());
  feed();
  EXPECT_EQ(row().next, Offset{2});
  read_on();
  EXPECT_EQ(row().counts.scanned, 3);
  EXPECT_EQ(row().counts.admitted, 3);
  EXPECT_EQ(left_out(LeftOut::kRepeat), 0);
}

TEST_F(Copying, WhatWasCancelledWhileNobodyOwnedItIsCancelled) {
  job("acme", "a");
  EXPECT_EQ(run_all(), "a");
  start_replay();
  read_on();
  commit();
  ReplayRecord cancelled = records["r"];
  cancelled.state = ReplayState::kCancelled;
  ASSERT_TRUE(control.apply(replay_key({"mail", "r"}), to_json_text(cancelled)));
  restores = false;
  make();
  task->set_control(&control, now());
  while (task->restoring()) task->restore_some(now());
  feed();
  EXPECT_TRUE(row().cancelled);
  EXPECT_EQ(run_all(), "");
}

TEST_F(Copying, ADeletedReplayThatIsStartedAgainUnderItsNameBeginsAnew) {
  queue.dedup_window = 0h;
  job("acme", "a");
  EXPECT_EQ(run_all(), "a");
  start_replay();
  read_on();
  EXPECT_EQ(run_all(), "replay/r/a");
  commit();
  clock += 1s;
  start_replay();
  EXPECT_FALSE(row().read);
  read_on();
  EXPECT_EQ(run_all(), "replay/r/a");
  EXPECT_EQ(row().counts.admitted, 1);
}

}  // namespace
}  // namespace penstock
