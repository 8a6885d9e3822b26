// Loops on a simulated cluster without faults: from a record to a commit, shared partitions, a
// graceful stop, a hand-over.
#include <set>

#include "tests/consumer/loop/loop_fixture.h"

namespace penstock {
namespace {

TEST_F(Looping, AJobGoesFromItsRecordToACommit) {
  LoopWorker& one = worker();
  ASSERT_TRUE(until([&] { return one.owned() == 4; }));
  for (int i = 0; i < 100; ++i) produce("acme" + std::to_string(i % 10), std::to_string(i));
  ASSERT_TRUE(until([&] { return succeeded() == 100; }));
  EXPECT_TRUE(until([&] {
    return cluster.committed("penstock.mail", "penstock.mail", partition_of("acme1", 4))
        .has_value();
  }));
  EXPECT_EQ(one.broken_reason, "");
  EXPECT_TRUE(one.notices.empty());
}

TEST_F(Looping, AnIdleOwnerKeepsItsLease) {
  LoopWorker& one = worker();
  ASSERT_TRUE(until([&] { return one.owned() == 4; }));
  for (int i = 0; i < 60; ++i) {
    cluster.run_for(seconds(1));
    for (const PartitionId partition : one.loop->partitions()) {
      ASSERT_TRUE(one.loop->tenure(partition)->owner().may_start(one.machine.now()));
    }
  }
}

TEST_F(Looping, TwoWorkersShareThePartitionsAndEveryJobIsDoneOnce) {
  LoopWorker& one = worker();
  ASSERT_TRUE(until([&] { return one.owned() == 4; }));
  for (int i = 0; i < 200; ++i) produce("acme" + std::to_string(i), "before");
  LoopWorker& two = worker();
  ASSERT_TRUE(until([&] { return one.owned() == 2 && two.owned() == 2; }));
  for (int i = 0; i < 200; ++i) produce("acme" + std::to_string(i), "after");
  ASSERT_TRUE(until([&] { return succeeded() >= 400; }));
  cluster.run_for(seconds(5));
  EXPECT_EQ(succeeded(), 400u);
  EXPECT_GT(two.counters().succeeded, 0u);
}

// The next tenure does it again, and counts it then.
TEST_F(Looping, WhatADroppedTenureHasNotRecordedIsNotCounted) {
  LoopWorker& one = worker();
  ASSERT_TRUE(until([&] { return one.owned() == 4; }));
  Tenure* const tenure = one.loop->tenure(partition_of("acme", 4));
  produce("acme", "a");
  ASSERT_TRUE(until([&] { return tenure->task()->counters().succeeded == 1; }));
  ASSERT_EQ(tenure->commits().counters().succeeded, 0u) << "its commit is on its way";
  EXPECT_EQ(tenure->commits().counters().started, 1u) << "it has run all the same";
  tenure->lose("a test wants it");
  ASSERT_TRUE(until([&] { return one.owned() == 3; }));
  EXPECT_EQ(one.loop->past_counters().admitted, 0u);
  EXPECT_EQ(one.loop->past_counters().succeeded, 0u);
  ASSERT_TRUE(until([&] { return one.owned() == 4; }));
  cluster.run_for(seconds(5));
  TaskCounters all = one.loop->past_counters();
  all += one.loop->tenure(partition_of("acme", 4))->commits().counters();
  EXPECT_LE(all.succeeded, all.admitted);
}

TEST_F(Looping, AHeldAttemptReportsThroughTheMailbox) {
  LoopWorker& one = worker();
  ASSERT_TRUE(until([&] { return one.owned() == 4; }));
  produce("acme", "a", "held");
  ASSERT_TRUE(until([&] { return one.executor_.held.size() == 1; }));
  const AttemptRequest& request = one.executor_.held[0].first;
  EXPECT_EQ(request.id, "a");
  EXPECT_EQ(request.account, "acme");
  EXPECT_EQ(request.queue, "mail");
  EXPECT_EQ(request.key.partition, partition_of("acme", 4));
  cluster.run_for(seconds(60));  // far beyond a lease: it is renewed
  EXPECT_TRUE(one.executor_.kills.empty());
  one.executor_.end_all();
  EXPECT_TRUE(until([&] { return succeeded() == 1; }));
}

TEST_F(Looping, PartitionsHaveTheirTurnsAtTheOnlyPlace) {
  LoopWorker& one = worker();
  one.places = 0;
  ASSERT_TRUE(until([&] { return one.owned() == 4; }));
  for (int i = 0; i < 200; ++i) {
    const std::string id = std::to_string(i);
    produce("account" + id, id, "held");
  }
  cluster.run_for(seconds(1));
  one.places = 1;
  std::map<PartitionId, int> starts;
  for (int i = 0; i < 40; ++i) {
    ASSERT_TRUE(until([&] { return one.executor_.held.size() == 1; }));
    ++starts[one.executor_.held[0].first.key.partition];
    one.executor_.end_all();
    cluster.run_for(milliseconds(10));
  }
  for (PartitionId partition = 0; partition < 4; ++partition) {
    EXPECT_NEAR(starts[partition], 10, 1) << "partition " << partition;
  }
}

TEST_F(Looping, ATurnRestoresOnePieceHoweverManyPartitionsAreTakenOver) {
  constexpr std::size_t kWaiting = 200, kPiece = 2;
  LoopWorker& one = worker();
  one.places = 0;
  ASSERT_TRUE(until([&] { return one.owned() == 4; }));
  for (std::size_t i = 0; i < kWaiting; ++i) produce("acme" + std::to_string(i), "a", "held");
  ASSERT_TRUE(until([&] { return one.counters().admitted == kWaiting; }));
  one.loop->stop(one.machine.now().boot + seconds(1));
  ASSERT_TRUE(until([&] { return one.loop->stopped(); }));

  StepBounds bounds;
  bounds.restored_rows = kPiece;
  LoopWorker& two = workers.emplace_back(cluster, queue, 2, 64 << 20, bounds);
  two.places = 0;
  std::size_t found = 0;
  const auto all_found = [&] {
    std::size_t now = 0;
    for (const PartitionId partition : two.loop->partitions()) {
      Tenure* const tenure = two.loop->tenure(partition);
      if (tenure && tenure->task()) now += tenure->task()->fair().size();
    }
    EXPECT_LE(now - found, kPiece);
    found = now;
    return two.loop->all_run();
  };
  ASSERT_TRUE(until(all_found));
  EXPECT_EQ(found, kWaiting);
  EXPECT_TRUE(two.notices.empty());
}

TEST_F(Looping, ATurnClaimsOnePartitionHoweverManyAreAssigned) {
  LoopWorker& one = worker();
  std::size_t claimed = 0, most = 0;
  const auto count = [&] {
    std::size_t now = 0;
    for (const PartitionId partition : one.loop->partitions())
      now += one.loop->tenure(partition) != nullptr ? 1 : 0;
    most = std::max(most, now - std::exchange(claimed, now));
    return now == 4;
  };
  ASSERT_TRUE(until(count));
  EXPECT_EQ(most, 1u);
}

TEST_F(Looping, AJobThatWasReadyBeforeTheClaimIsNotCutOff) {
  {
    LoopWorker& one = worker();
    ASSERT_TRUE(until([&] { return one.owned() == 4; }));
    produce("acme", "a", "held");
    produce("acme", "b", "held");
    ASSERT_TRUE(until([&] { return one.executor_.held.size() == 1; }));
    cluster.run_for(seconds(1));
    one.loop->stop(one.machine.now().boot + seconds(5));
    one.executor_.end_all();
    ASSERT_TRUE(until([&] { return one.loop->stopped(); }));
  }
  LoopWorker& two = worker();
  ASSERT_TRUE(until([&] { return two.executor_.held.size() == 1; }));
  cluster.run_for(seconds(20));
  EXPECT_TRUE(two.executor_.kills.empty());
  EXPECT_EQ(two.counters().started, 1u);
}

TEST_F(Looping, AGracefulStopFinishesWhatRunsReleasesAndTheNextOwnerNeedNotWait) {
  LoopWorker& one = worker();
  ASSERT_TRUE(until([&] { return one.owned() == 4; }));
  produce("acme", "a", "held");
  ASSERT_TRUE(until([&] { return one.executor_.held.size() == 1; }));
  produce("acme", "b");
  one.loop->stop(one.machine.now().boot + seconds(25));
  cluster.run_for(seconds(1));
  EXPECT_EQ(one.executor_.stops.size(), 1u);
  EXPECT_FALSE(one.loop->stopped());
  one.executor_.end_all();
  ASSERT_TRUE(until([&] { return one.loop->stopped(); }));
  EXPECT_FALSE(one.loop->cut_off());
  for (PartitionId partition = 0; partition < 4; ++partition) {
    const std::string bytes = last_state_record(partition);
    EXPECT_TRUE(std::holds_alternative<Release>(*decode_log_entry(bytes))) << partition;
  }
  LoopWorker& two = worker();
  const Instant before = cluster.now();
  ASSERT_TRUE(until([&] { return two.owned() == 4; }));
  EXPECT_LT(cluster.now() - before, seconds(8));
  ASSERT_TRUE(until([&] { return succeeded() == 2; }));
}

TEST_F(Looping, AFullDiskBreaksTheWorkerAndTheNextGoesOnFromTheLog) {
  LoopWorker& one = worker();
  ASSERT_TRUE(until([&] { return one.owned() == 4; }));
  produce("acme", "a", "held");
  ASSERT_TRUE(until([&] { return one.executor_.held.size() == 1; }));
  cluster.run_for(seconds(1));
  one.disk_faults.is_full = true;
  produce("acme", "b");
  ASSERT_TRUE(until([&] { return !one.broken_reason.empty(); }));
  EXPECT_NE(one.broken_reason.find("No space left on device"), std::string::npos)
      << one.broken_reason;
  EXPECT_EQ(succeeded(), 0u) << "nothing is done on rows that were not written";
  crash(one);
  LoopWorker two(cluster, queue, 77);
  ASSERT_TRUE(until([&] { return two.executor_.held.size() == 1; }));
  two.executor_.end_all();
  EXPECT_TRUE(until([&] { return two.counters().succeeded == 2; }));
}

TEST_F(Looping, AClaimThatAStopMeetsIsGivenBack) {
  LoopWorker& one = worker();
  ASSERT_TRUE(until([&] {
    const Tenure* const tenure = one.loop->tenure(0);
    return tenure && tenure->owner().phase() >= Owner::Phase::kClaiming && !tenure->runs();
  }));
  one.loop->stop(one.machine.now().boot + seconds(25));
  ASSERT_TRUE(until([&] { return one.loop->stopped(); }));
  EXPECT_TRUE(one.notices.empty()) << one.notices.front();
  EXPECT_TRUE(std::holds_alternative<Release>(*decode_log_entry(last_state_record(0))));
  LoopWorker& two = worker();
  const Instant before = cluster.now();
  ASSERT_TRUE(until([&] { return two.owned() == 4; }));
  EXPECT_LT(cluster.now() - before, seconds(8));
}

TEST_F(Looping, AWorkerThatLeavesBeforeItsWaitIsOverSaysSo) {
  LoopWorker& one = worker();
  ASSERT_TRUE(until([&] { return one.owned() == 4; }));
  crash(one);
  LoopWorker& two = worker();
  ASSERT_TRUE(until([&] {
    const Tenure* const tenure = two.loop->tenure(0);
    return tenure && tenure->owner().phase() == Owner::Phase::kWaiting;
  }));
  two.loop->stop(two.machine.now().boot + seconds(25));
  ASSERT_TRUE(until([&] { return two.loop->stopped(); }));
  ASSERT_FALSE(two.notices.empty());
  EXPECT_NE(two.notices.front().find("take-over wait"), std::string::npos);
}

TEST_F(Looping, AStopWhoseGraceIsOverCutsOffAndSaysSo) {
  LoopWorker& one = worker();
  ASSERT_TRUE(until([&] { return one.owned() == 4; }));
  produce("acme", "a", "held");
  ASSERT_TRUE(until([&] { return one.executor_.held.size() == 1; }));
  one.loop->stop(one.machine.now().boot + seconds(3));
  ASSERT_TRUE(until([&] { return one.loop->stopped(); }));
  EXPECT_TRUE(one.loop->cut_off());
  EXPECT_EQ(one.executor_.kills.size(), 1u);
  const std::string bytes = last_state_record(partition_of("acme", 4));
  EXPECT_FALSE(std::holds_alternative<Release>(*decode_log_entry(bytes)));
}

TEST_F(Looping, ATurnCommitsOnePartitionAndTheNextTheOthers) {
  LoopWorker& one = worker();
  ASSERT_TRUE(until([&] { return one.owned() == 4; }));
  cluster.run_for(seconds(1));
  const auto seqs = [&] {
    std::vector<std::uint64_t> all;
    for (PartitionId partition = 0; partition < 4; ++partition)
      all.push_back(one.loop->tenure(partition)->owner().commits().seq());
    return all;
  };
  const std::vector<std::uint64_t> before = seqs();
  for (int i = 0; i < 100; ++i) produce("account-" + std::to_string(i), "a", "noop");
  std::vector<std::uint64_t> last = before;
  for (int ms = 0; ms < 500; ++ms) {  // a turn every 10
    cluster.run_for(milliseconds(1));
    const std::vector<std::uint64_t> now = seqs();
    std::uint64_t commits = 0;
    for (std::size_t i = 0; i < now.size(); ++i) commits += now[i] - last[i];
    EXPECT_LE(commits, 1u) << ms;
    last = now;
  }
  for (std::size_t i = 0; i < last.size(); ++i) EXPECT_GT(last[i], before[i]) << i;
  EXPECT_EQ(succeeded(), 100u);
}

TEST_F(Looping, ARevokedPartitionIsHandedOverWhenItsAttemptsHaveEnded) {
  LoopWorker& one = worker();
  ASSERT_TRUE(until([&] { return one.owned() == 4; }));
  std::vector<int> of_partition(4, 0);  // two a partition: fewer than the loop's concurrency
  for (int i = 0, made = 0; made < 8; ++i) {
    const std::string account = "acme" + std::to_string(i);
    int& count = of_partition[static_cast<std::size_t>(partition_of(account, 4))];
    if (count == 2) continue;
    ++count, ++made;
    produce(account, "a", "held");
  }
  ASSERT_TRUE(until([&] { return one.executor_.held.size() == 8; }));
  LoopWorker& two = worker();
  ASSERT_TRUE(until([&] { return !one.executor_.stops.empty(); }));
  for (int i = 0; i < 40; ++i) {
    one.executor_.end_all();
    two.executor_.end_all();
    cluster.run_for(milliseconds(500));
  }
  EXPECT_EQ(one.owned(), 2u);
  EXPECT_EQ(two.owned(), 2u);
  EXPECT_EQ(succeeded(), 8u);
  EXPECT_TRUE(one.executor_.kills.empty());
}

TEST_F(Looping, AfterADeathTheNextOwnerWaitsOutTheLeaseAndGoesOn) {
  ASSERT_NO_FATAL_FAILURE(die_with_a_job_in_flight());
  const Instant died = cluster.now();
  LoopWorker two(cluster, queue, 77);
  ASSERT_TRUE(until([&] { return !two.executor_.held.empty(); }));
  EXPECT_GE(cluster.now() - died, LeaseRules{}.lease - seconds(4));
  EXPECT_EQ(two.executor_.held[0].first.id, "a");
  two.executor_.end_all();
  EXPECT_TRUE(until([&] { return two.counters().succeeded == 1; }));
}

TEST_F(Looping, WhatTheLastProcessLeftBehindStartsWhenItsDeathIsCounted) {
  ASSERT_NO_FATAL_FAILURE(die_with_a_job_in_flight());
  LoopWorker two(cluster, queue, 77);
  two.loop->send_crash_notice({"mail", "acme", "a"});
  ASSERT_TRUE(until([&] { return !two.executor_.held.empty(); }));
  Task* const task = two.loop->tenure(partition_of("acme", 4))->task();
  EXPECT_EQ(task->queries().find("acme", "a", two.machine.now())->row.crashes, 1);
  EXPECT_FALSE(two.crashes.awaited("mail", "acme", "a", task->input_next(), Offset{0}))
      << "it was read";
}

// A member of the group that only commits offsets.
struct OffsetCommitter final : LogListener {
  void on_assigned(std::span<const PartitionId> partitions) override {
    held += static_cast<int>(partitions.size());
  }
  void on_revoked(std::span<const PartitionId>) override {}
  void on_lost(std::span<const PartitionId>) override {}
  void on_records(TopicPartition, std::span<const LogRecord>) override {}
  void on_out_of_range(TopicPartition, Offset) override {}
  void on_appended(Lane, Ticket, const Appended&) override {}
  void on_bounds(TopicPartition, const Result<Bounds>&) override {}
  void on_membership(PartitionId, bool) override {}
  void on_deleted(TopicPartition, const Status&) override {}
  void on_connection(bool, std::string_view) override {}
  void on_fatal(std::string_view) override {}
  int held = 0;
};

TEST_F(Looping, APartitionBeyondTheQueuesCountStopsTheQueueWithTheReason) {
  queue.partitions = 3;  // the topic has four
  LoopWorker& one = worker();
  ASSERT_TRUE(until([&] { return !one.refused_reason.empty(); }));
  EXPECT_NE(one.refused_reason.find("has 3 partitions, but its topic has a partition 3"),
            std::string::npos)
      << one.refused_reason;
  EXPECT_NE(one.refused_reason.find("create a new queue"), std::string::npos);
}

struct WithoutState : Looping {
  void commit_offset(PartitionId partition, Offset next) {
    SimulatedLog log(cluster, cluster.add_host());
    const auto session = std::move(*log.open({.client_id = "tool", .instance_id = ""}));
    OffsetCommitter member;
    const QueueNames names("penstock", "mail");
    session->join(session->topic(names.topic()), names.group());
    ASSERT_TRUE(until([&] {
      (void)session->poll(member);
      return member.held == 4;
    }));
    session->commit_offset(partition, next);
    ASSERT_TRUE(
        until([&] { return cluster.committed(names.group(), names.topic(), partition) == next; }));
    session->leave();
    cluster.run_for(seconds(1));
  }
};

TEST_F(WithoutState, AGroupOffsetIsRefusedWithTheWayOut) {
  commit_offset(2, Offset{7});
  LoopWorker& one = worker();
  ASSERT_TRUE(until([&] { return !one.refused_reason.empty(); }));
  EXPECT_NE(one.refused_reason.find("committed offset 7"), std::string::npos) << one.refused_reason;
  EXPECT_NE(one.refused_reason.find("penstock.mail.state"), std::string::npos);
}

TEST_F(WithoutState, AGroupOffsetOfTheStartIsAsGoodAsNone) {
  commit_offset(2, Offset{0});
  produce("acme", "a");
  LoopWorker& one = worker();
  EXPECT_TRUE(until([&] { return succeeded() == 1 && one.owned() == 4; }));
  EXPECT_EQ(one.broken_reason, "");
}

// The group waits for a worker that stands still longer than its lease.
struct LongSession : Looping {
  LongSession() : Looping({.seed = 5, .session_timeout = seconds(120)}) {}
};

TEST_F(LongSession, JobsCutOffByTheLeaseGoBackInAsManyCommitsAsTheyNeed) {
  LoopWorker& one = worker();
  ASSERT_TRUE(until([&] { return one.owned() == 4; }));
  const std::string large = ",\"args\":{\"text\":\"" + std::string(1'000'000, 'x') + "\"}}";
  int produced = 0;
  for (int i = 0; produced < 10; ++i) {
    const std::string account = "acme" + std::to_string(i);
    if (partition_of(account, 4) != 2) continue;
    const std::string value = R"({"type":"held","id":"a")" + large;
    cluster.append("penstock.mail", 2, {.key = account, .value = value, .headers = {}});
    ++produced;
  }
  ASSERT_TRUE(until([&] { return one.executor_.held.size() == 10; }));
  cluster.run_for(seconds(1));
  const Offset epoch = one.loop->tenure(2)->owner().epoch();
  one.machine.pause();
  cluster.run_for(seconds(16));
  one.machine.resume();
  EXPECT_TRUE(until([&] { return one.executor_.kills.size() == 10; }));
  EXPECT_TRUE(until([&] { return one.executor_.held.size() == 10; }));
  EXPECT_EQ(one.broken_reason, "");
  EXPECT_EQ(one.loop->tenure(2)->owner().epoch(), epoch);  // its tenure went on
  one.executor_.end_all();
  EXPECT_TRUE(until([&] { return one.counters().succeeded == 10; }));
}

// The log is cut when it has grown, and a worker that begins from nothing finds everything.
TEST_F(Looping, ALongLogIsTrimmedAndStillRestores) {
  queue.dedup_window = 0s;  // else every job that has ended is live state
  LoopWorker one(cluster, queue, 9, 8 << 10);
  ASSERT_TRUE(until([&] { return one.owned() == 4; }));
  const std::string later = ",\"run_at\":" + std::to_string(to_ms(cluster.wall()) + 3'600'000);
  for (int i = 0; i < 40; ++i)
    produce("acme" + std::to_string(i), "scheduled\"" + later + ",\"unique_key\":\"k");
  const auto trimmed = [&] {
    for (PartitionId partition = 0; partition < 4; ++partition) {
      if (cluster.partition("penstock.mail.state", partition).start() == Offset{0}) return false;
    }
    return true;
  };
  for (int round = 0; round < 400 && !trimmed(); ++round) {
    for (int i = 0; i < 40; ++i)
      produce("acme" + std::to_string(i), "churn" + std::to_string(round));
    cluster.run_for(milliseconds(200));
  }
  ASSERT_TRUE(trimmed());
  one.loop->stop(one.machine.now().boot + seconds(5));
  ASSERT_TRUE(until([&] { return one.loop->stopped(); }));
  LoopWorker two(cluster, queue, 10);
  ASSERT_TRUE(until([&] { return two.owned() == 4; }));
  EXPECT_EQ(two.broken_reason, "");
  std::uint64_t jobs = 0;
  for (PartitionId partition = 0; partition < 4; ++partition) {
    jobs += two.loop->tenure(partition)->task()->jobs();
  }
  EXPECT_EQ(jobs, 40u);
}

// Each of them writes less than the threshold, and finds nearly all of the log applied already.
TEST_F(Looping, ALogIsTrimmedAlsoByWorkersThatRestartWarmBeforeTheyHaveWrittenMuch) {
  queue.dedup_window = 0s;
  constexpr std::uint64_t kTrimBytes = 16 << 10;
  const auto trimmed = [&] {
    return cluster.partition("penstock.mail.state", partition_of("acme", 4)).start() > Offset{0};
  };
  std::map<PartitionId, MemoryStore::Contents> disks;
  std::deque<std::unique_ptr<LoopWorker>> workers;
  for (std::uint64_t life = 0; life < 40 && !trimmed(); ++life) {
    workers.push_back(std::make_unique<LoopWorker>(cluster, queue, 20 + life, kTrimBytes));
    LoopWorker& worker = *workers.back();
    worker.disks = disks;
    ASSERT_TRUE(until([&] { return worker.owned() == 4; }));
    for (int i = 0; i < 4; ++i) {
      produce("acme", "life" + std::to_string(life) + "-" + std::to_string(i));
      cluster.run_for(milliseconds(200));
    }
    const auto& log = worker.loop->tenure(partition_of("acme", 4))->owner();
    ASSERT_LT(log.bytes_restored(), kTrimBytes / 4) << "it begins warm";
    worker.loop->stop(worker.machine.now().boot + seconds(5));
    ASSERT_TRUE(until([&] { return worker.loop->stopped(); }));
    EXPECT_EQ(worker.broken_reason, "");
    disks = worker.disks;
  }
  EXPECT_TRUE(trimmed());
}

}  // namespace
}  // namespace penstock
