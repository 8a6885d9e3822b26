// Loops and their attempts: keys and tokens, leases that end meanwhile, handlers that run on, and
// what handlers report while a commit is full.
#include <set>

#include "tests/consumer/loop/loop_fixture.h"

namespace penstock {
namespace {

// The executors of a process serve all of its queues.
TEST_F(Looping, AnAttemptIsNamedByItsQueueAndItsTokenByItsPlace) {
  constexpr std::uint32_t kNumber = 7;
  LoopWorker& one = workers.emplace_back(cluster, queue, 1, 64 << 20, StepBounds{}, kNumber);
  ASSERT_TRUE(until([&] { return one.owned() == 4; }));
  for (int i = 0; i < 100; ++i) produce("acme" + std::to_string(i), "a", "held");
  std::set<std::string> tokens;
  for (; tokens.size() < 100; one.executor_.end_all()) {
    ASSERT_TRUE(until([&] { return !one.executor_.held.empty(); })) << tokens.size();
    for (const auto& [request, mailbox] : one.executor_.held) {
      EXPECT_EQ(request.key.queue, kNumber);
      EXPECT_EQ(request.key.token.place, TokenPlace::of("penstock.mail", request.key.partition));
      EXPECT_TRUE(tokens.insert(request.key.token.text()).second) << "partitions' tokens are alike";
    }
  }
}

// Its retry would otherwise start early, by as much as the handler ended after the pass had its time.
TEST_F(Looping, AReportThatComesAfterThePassHasItsTimeWaitsForTheNextPass) {
  LoopWorker& one = worker();
  ASSERT_TRUE(until([&] { return one.owned() == 4; }));
  produce("acme", "a", "held");
  ASSERT_TRUE(until([&] { return !one.executor_.held.empty(); }));
  one.loop->take_posted();
  const Now pass = one.machine.now();
  one.executor_.end_all();
  one.loop->pass(pass);
  EXPECT_EQ(one.counters().succeeded, 0u);
  one.pass();
  EXPECT_EQ(one.counters().succeeded, 1u);
}

// The journal is written while the disk hangs; the watchdog looks meanwhile.
TEST_F(Looping, AnAttemptDoesNotStartWhenItsLeaseHasEndedMeanwhile) {
  LoopWorker& one = worker();
  ASSERT_TRUE(until([&] { return one.owned() == 4; }));
  one.on.attempt_started = [&] { one.loop->leases().check(one.machine.now().boot + seconds(16)); };
  produce("acme", "a", "held");
  ASSERT_TRUE(until([&] { return one.counters().started >= 1; }));
  EXPECT_TRUE(one.executor_.held.empty());
  one.on.attempt_started = [] {};
  ASSERT_TRUE(until([&] { return one.executor_.held.size() == 1; })) << "under a newer lease";
  EXPECT_EQ(one.executor_.held[0].first.attempt, 1);
}

// The watchdog looks when the executor is about to have it.
TEST_F(Looping, AnAttemptThatStartsBehindTheWatchdogsBackIsEnded) {
  LoopWorker& one = worker();
  ASSERT_TRUE(until([&] { return one.owned() == 4; }));
  one.executor_.on_start = [&] { one.loop->leases().check(one.machine.now().boot + seconds(16)); };
  produce("acme", "a", "held");
  ASSERT_TRUE(until([&] { return one.counters().started >= 1; }));
  EXPECT_TRUE(one.executor_.held.empty()) << "it runs and nobody watches it";
  one.executor_.on_start = [] {};
  ASSERT_TRUE(until([&] { return one.executor_.held.size() == 1; }));
}

// The state of a partition is unknown for a moment, and one of its handlers cannot be ended.
TEST_F(Looping, AnAttemptThatRunsOnHoldsBackItsAccountAlone) {
  std::string other = "b";
  while (partition_of(other, 4) != partition_of("acme", 4)) other += "b";
  LoopWorker& one = worker();
  one.executor_.is_deaf = true;
  ASSERT_TRUE(until([&] { return one.owned() == 4; }));
  produce("acme", "a", "held");
  ASSERT_TRUE(until([&] { return one.executor_.held.size() == 1; }));
  one.loop->tenure(partition_of("acme", 4))->lose("a test wants it");
  ASSERT_EQ(one.executor_.deaf.size(), 1u);
  ASSERT_TRUE(until([&] { return one.owned() == 3; }));
  ASSERT_TRUE(until([&] { return one.owned() == 4; })) << "its partition is claimed again";
  produce(other, "b", "held");
  ASSERT_TRUE(until([&] { return one.executor_.held.size() == 1; }));
  EXPECT_EQ(one.executor_.held[0].first.account, other);
  cluster.run_for(seconds(30));
  EXPECT_EQ(one.executor_.held.size(), 1u) << "its account waits";
  Task* const task = one.loop->tenure(partition_of("acme", 4))->task();
  EXPECT_NE(task->queries().find("acme", "a", one.machine.now())->why.find("that runs on, to stop"),
            std::string::npos);
  one.executor_.deaf.clear();
  ASSERT_TRUE(until([&] { return one.executor_.held.size() == 2; }));
  EXPECT_EQ(one.executor_.held[1].first.account, "acme");
}

// The next owner would start what it overlaps with.
TEST_F(Looping, APartitionIsNotReleasedWhileAnAttemptRunsOn) {
  LoopWorker& one = worker();
  one.executor_.is_deaf = true;
  const PartitionId partition = partition_of("acme", 4);
  ASSERT_TRUE(until([&] { return one.owned() == 4; }));
  produce("acme", "a", "held");
  ASSERT_TRUE(until([&] { return one.executor_.held.size() == 1; }));
  one.loop->tenure(partition)->lose("a test wants it");
  ASSERT_TRUE(until([&] { return one.owned() == 3; }));
  ASSERT_TRUE(until([&] { return one.owned() == 4; }));
  one.loop->stop(one.machine.now().boot + seconds(5));
  ASSERT_TRUE(until([&] { return one.loop->stopped(); }));
  EXPECT_TRUE(one.loop->cut_off());
  EXPECT_FALSE(std::holds_alternative<Release>(*decode_log_entry(last_state_record(partition))));
}

// A worker with more large checkpoints than one commit takes, an attempt that reports behind them,
// and one of another partition.
struct FullCommit : Looping {
  static constexpr std::size_t large = kMaxGatheredBytes / kMaxCursorBytes + 1;
  const std::string account = "acme";
  const std::string cursor = "\"" + std::string(kMaxCursorBytes - 2, 'x') + "\"";
  std::map<std::string, AttemptKey> keys;

  void fill(LoopWorker& one) {
    std::string other = "b";
    while (partition_of(other, 4) == partition_of(account, 4)) other += "b";
    one.places = static_cast<int>(large) + 2;
    ASSERT_TRUE(until([&] { return one.owned() == 4; }));
    for (std::size_t i = 0; i < large; ++i) produce(account, std::to_string(i), "held");
    produce(account, "last", "held");
    produce(other, "b", "held");
    ASSERT_TRUE(until([&] { return one.executor_.held.size() == large + 2; }));
    cluster.run_for(seconds(1));
    for (const auto& [request, posts_to] : one.executor_.held) keys[request.id] = request.key;
    for (std::size_t i = 0; i < large; ++i)
      one.loop->mailbox().post(Checkpoint{keys.at(std::to_string(i)), cursor});
  }
};

// What its handler says while the loop hears others out is behind what it has said before.
TEST_F(FullCommit, WhatAFullCommitDefersKeepsItsOrder) {
  queue.account_concurrency = static_cast<int>(large) + 1;
  LoopWorker& one = worker();
  fill(one);
  Mailbox& mailbox = one.loop->mailbox();
  one.on.attempt_ended = [&](const AttemptKey& key) {
    if (key == keys.at("b"))
      mailbox.post(AttemptEnded{keys.at("last"), Interrupted{"stopped"}, {}});
  };
  mailbox.post(AttemptEnded{keys.at("b"), Done{}, {}});
  mailbox.post(Checkpoint{keys.at("last"), "5"});
  mailbox.post(Checkpoint{keys.at("last"), "6"});

  Task* const task = one.loop->tenure(partition_of(account, 4))->task();
  ASSERT_TRUE(until([&] { return one.executor_.held.size() == large + 3; }));
  EXPECT_EQ(one.executor_.held.back().first.id, "last");
  EXPECT_EQ(one.executor_.held.back().first.cursor, "6");
  EXPECT_EQ(task->queries().find(account, "last", one.machine.now())->row.cursor, "6");
  for (std::size_t i = 0; i < large; ++i) {
    EXPECT_EQ(task->queries().find(account, std::to_string(i), one.machine.now())->row.cursor,
              cursor)
        << i;
  }
}

// A handler that waits for its receipt goes on when its report can be no more than lie in memory.
TEST_F(FullCommit, AFullCommitKeepsCheckpointsAndOnlyTheNewestProgress) {
  queue.account_concurrency = static_cast<int>(large) + 1;
  LoopWorker& one = worker();
  fill(one);
  Mailbox& mailbox = one.loop->mailbox();
  int progress_taken = 0, checkpoints_taken = 0;
  const AttemptKey& last = keys.at("last");
  for (int n = 1; n <= 1000; ++n)
    mailbox.post(ProgressMade{last, n, 1000, Receipt([&] { ++progress_taken; })});
  mailbox.post(Checkpoint{last, "7", {}, Receipt([&] { ++checkpoints_taken; })});
  int progress_while_full = -1, checkpoints_while_full = -1;
  one.on.attempt_ended = [&](const AttemptKey& key) {
    if (key != keys.at("b")) return;
    progress_while_full = progress_taken;
    checkpoints_while_full = checkpoints_taken;
  };
  mailbox.post(AttemptEnded{keys.at("b"), Done{}, {}});

  ASSERT_TRUE(until([&] { return checkpoints_taken == 1; }));
  EXPECT_EQ(progress_while_full, 1000);
  EXPECT_EQ(checkpoints_while_full, 0);
  Task* const task = one.loop->tenure(partition_of(account, 4))->task();
  EXPECT_EQ(task->queries().find(account, "last", one.machine.now())->row.progress, 1000);
  EXPECT_EQ(task->queries().find(account, "last", one.machine.now())->row.cursor, "7");
}

}  // namespace
}  // namespace penstock
