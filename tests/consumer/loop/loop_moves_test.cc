// Partitions that move between workers that live: worked on until the next owner asks for them, and
// followed by standbys.
#include "tests/consumer/loop/loop_fixture.h"

namespace penstock {
namespace {

struct Moving : Looping {
  Moving() {
    for (int i = 0; accounts.size() < 4; ++i) {
      const std::string account = "acme" + std::to_string(i);
      if (partition_of(account, 4) == static_cast<PartitionId>(accounts.size()))
        accounts.push_back(account);
    }
  }
  [[nodiscard]] std::uint64_t succeeded_in(PartitionId partition) const {
    std::uint64_t all = 0;
    for (const LoopWorker& one : workers) {
      Tenure* const tenure = one.loop->tenure(partition);
      if (tenure && tenure->task()) all += tenure->task()->counters().started;
    }
    return all;
  }
  // Sends a job to each account every 10 ms for this time; the longest time without a start in any
  // of the partitions.
  std::chrono::nanoseconds longest_standstill(std::chrono::nanoseconds during) {
    std::vector<Instant> last(4, cluster.now());
    std::vector<std::uint64_t> count(4, 0);
    std::chrono::nanoseconds longest(0);
    for (const Instant until = cluster.now() + during; cluster.now() < until;) {
      for (const std::string& account : accounts) produce(account, std::to_string(sent++));
      cluster.run_for(milliseconds(10));
      for (PartitionId partition = 0; partition < 4; ++partition) {
        const auto at = static_cast<std::size_t>(partition);
        longest = std::max<std::chrono::nanoseconds>(longest, cluster.now() - last[at]);
        // A tenure counts from 0, so a smaller number is that of another one.
        if (succeeded_in(partition) == count[at]) continue;
        count[at] = succeeded_in(partition);
        last[at] = cluster.now();
      }
    }
    return longest;
  }
  LoopWorker& owner() {
    LoopWorker& one = worker();
    EXPECT_TRUE(until([&] { return one.owned() == 4; }));
    return one;
  }
  [[nodiscard]] bool is_released(PartitionId partition) const {
    return std::holds_alternative<Release>(*decode_log_entry(last_state_record(partition)));
  }
  const std::vector<PartitionId> all{0, 1, 2, 3};
  std::vector<std::string> accounts;  // one of each partition
  int sent = 0;
};

TEST_F(Moving, ARevokedPartitionIsWorkedOnUntilTheNextOwnerHasReadItsState) {
  LoopWorker& one = owner();
  LoopWorker& two = worker();
  EXPECT_LT(longest_standstill(seconds(10)), milliseconds(300));
  EXPECT_EQ(one.owned(), 2u);
  EXPECT_EQ(two.owned(), 2u);
  ASSERT_TRUE(until([&] { return succeeded() == static_cast<std::uint64_t>(sent); }));
}

TEST_F(Moving, WhatNobodyAsksForIsReleasedInTheEnd) {
  LoopWorker& one = owner();
  one.loop->listener(one.machine.now()).on_revoked(all);
  produce("acme", "a");
  cluster.run_for(seconds(59));
  EXPECT_EQ(one.owned(), 4u);
  EXPECT_EQ(succeeded(), 1u);
  cluster.run_for(seconds(2));
  EXPECT_EQ(one.owned(), 0u);
  EXPECT_TRUE(is_released(0));
}

TEST_F(Moving, APartitionThatTheGroupGivesBackIsKept) {
  LoopWorker& one = owner();
  const std::uint64_t number = one.loop->tenure(0)->number();
  one.loop->listener(one.machine.now()).on_revoked(all);
  cluster.run_for(seconds(1));
  one.loop->listener(one.machine.now()).on_assigned(all);
  cluster.run_for(seconds(61));
  EXPECT_EQ(one.owned(), 4u);
  EXPECT_EQ(one.loop->tenure(0)->number(), number);
}

TEST_F(Moving, AnOwnerThatIsIdleSeesARequestInAMoment) {
  LoopWorker& one = owner();
  cluster.run_for(seconds(1));
  LoopWorker& two = worker();
  ASSERT_TRUE(until([&] { return two.loop->partitions().size() == 2; }));
  const Instant assigned = cluster.now();
  ASSERT_TRUE(until([&] { return two.owned() == 2; }));
  EXPECT_LT(cluster.now() - assigned, milliseconds(500));
  EXPECT_EQ(one.owned(), 2u);
}

TEST_F(Moving, AStopReleasesAtOnceWhatWasTakenBack) {
  LoopWorker& one = owner();
  one.loop->listener(one.machine.now()).on_revoked(all);
  one.loop->stop(one.machine.now().boot + seconds(5));
  ASSERT_TRUE(until([&] { return one.loop->stopped(); }));
  for (const PartitionId partition : all) EXPECT_TRUE(is_released(partition)) << partition;
}

TEST_F(Moving, RowsThatAnotherLoopOfTheProcessWantsAreGivenUp) {
  LoopWorker& one = owner();
  one.other_loop.wants = {2};
  one.loop->listener(one.machine.now()).on_revoked(all);
  cluster.run_for(seconds(2));
  EXPECT_EQ(one.loop->partitions(), (std::vector<PartitionId>{0, 1, 3}));
  EXPECT_TRUE(is_released(2));
}

TEST_F(Moving, RowsThatAnotherLoopOfTheProcessHasAreWaitedFor) {
  LoopWorker& one = worker();
  one.other_loop.has = {1};
  ASSERT_TRUE(until([&] { return one.owned() == 3; }));
  cluster.run_for(seconds(2));
  EXPECT_EQ(one.owned(), 3u);
  one.other_loop.has.clear();
  EXPECT_TRUE(until([&] { return one.owned() == 4; }));
}

struct WithStandbys : Moving {
  WithStandbys() { queue.standbys = 1; }

  // Two workers with two partitions each, which follow the others'.
  void start_two() {
    LoopWorker& one = owner();
    LoopWorker& two = worker();
    ASSERT_TRUE(until([&] { return one.owned() == 2 && two.owned() == 2; }));
    ASSERT_TRUE(until([&] {
      return one.loop->standbys().current() == 2 && two.loop->standbys().current() == 2;
    }));
    for (const PartitionId partition : one.loop->standbys().partitions())
      EXPECT_NE(two.loop->tenure(partition), nullptr) << partition;
  }
};

TEST_F(WithStandbys, APartitionThatIsReleasedIsTakenOverWithoutTheGroup) {
  ASSERT_NO_FATAL_FAILURE(start_two());
  workers[0].loop->stop(workers[0].machine.now().boot + seconds(5));
  EXPECT_LT(longest_standstill(seconds(10)), milliseconds(300));
  EXPECT_EQ(workers[1].owned(), 4u);
  EXPECT_TRUE(workers[0].loop->stopped());
}

TEST_F(WithStandbys, TheTenureBeginsWithTheRowsOfTheCopy) {
  ASSERT_NO_FATAL_FAILURE(start_two());
  const PartitionId partition = workers[1].loop->standbys().partitions().front();
  const std::string account = accounts[static_cast<std::size_t>(partition)];
  for (int i = 0; i < 500; ++i) produce(account, std::to_string(i));
  ASSERT_TRUE(until([&] { return succeeded() == 500; }));
  cluster.run_for(seconds(2));
  workers[0].loop->stop(workers[0].machine.now().boot + seconds(5));
  ASSERT_TRUE(until([&] { return workers[1].owned() == 4; }));
  EXPECT_LT(workers[1].loop->tenure(partition)->owner().bytes_restored(), 2000u);
}

TEST_F(WithStandbys, ThePartitionsOfADeadMachineRunWhenTheirLeaseIsOver) {
  ASSERT_NO_FATAL_FAILURE(start_two());
  crash(workers[0]);
  const Instant died = cluster.now();
  ASSERT_TRUE(until([&] { return workers[1].owned() == 4; }));
  EXPECT_LT(cluster.now() - died, LeaseRules{}.take_over_wait(kUsualLease) + seconds(1));
}

TEST_F(WithStandbys, WhoeverTheGroupGivesThePartitionToGetsItFromTheStandby) {
  ASSERT_NO_FATAL_FAILURE(start_two());
  LoopWorker& three = worker();
  ASSERT_TRUE(until([&] { return three.owned() >= 1; }));
  cluster.run_for(seconds(5));
  workers[0].loop->stop(workers[0].machine.now().boot + seconds(5));
  EXPECT_LT(longest_standstill(seconds(20)), milliseconds(300));
  EXPECT_EQ(workers[1].owned(), 2u);
  EXPECT_EQ(three.owned(), 2u);
  ASSERT_TRUE(until([&] { return succeeded() == static_cast<std::uint64_t>(sent); }));
}

TEST_F(WithStandbys, CopiesAreOpenAsLongAsTheyAreWanted) {
  ASSERT_NO_FATAL_FAILURE(start_two());
  workers[1].loop->stop(workers[1].machine.now().boot + seconds(5));
  ASSERT_TRUE(until([&] { return workers[0].owned() == 4; }));
  EXPECT_TRUE(until([&] { return workers[0].loop->standbys().partitions().empty(); }));
  EXPECT_TRUE(workers[1].loop->standbys().partitions().empty());
}

TEST_F(WithStandbys, WithoutStandbysNothingIsFollowed) {
  queue.standbys = 0;
  LoopWorker& one = owner();
  LoopWorker& two = worker();
  ASSERT_TRUE(until([&] { return one.owned() == 2 && two.owned() == 2; }));
  cluster.run_for(seconds(10));
  EXPECT_TRUE(one.loop->standbys().partitions().empty());
  EXPECT_TRUE(two.loop->standbys().partitions().empty());
}

}  // namespace
}  // namespace penstock
