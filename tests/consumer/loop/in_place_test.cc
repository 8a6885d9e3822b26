// A process that comes back after a crash on the same machine, with what the one before has left.
#include "tests/consumer/loop/loop_fixture.h"

namespace penstock {
namespace {

// The rest of a lease of 15 s, for part of which the dead owner has been asked in vain.
constexpr seconds kLeastWait{9};

struct InPlace : Looping {
  const std::vector<PartitionId> all{0, 1, 2, 3};

  // Which owns all partitions.
  LoopWorker& owner() {
    LoopWorker& one = worker();
    EXPECT_TRUE(until([&] { return one.owned() == 4; }));
    return one;
  }
  // The next process on the worker's machine, to which the group gives all partitions at once.
  void come_back(LoopWorker& one) {
    one.machine.restart();
    one.options.nonce += 1ULL << 32;
    one.start();
    one.loop->listener(one.machine.now()).on_assigned(all);
  }
  // For how long a partition waits from its restore.
  std::chrono::nanoseconds wait_of(LoopWorker& one, PartitionId partition) {
    const auto restored = [&] {
      const Tenure* const tenure = one.loop->tenure(partition);
      return tenure && tenure->owner().restored();
    };
    EXPECT_TRUE(until(restored));
    return one.loop->tenure(partition)->owner().wait_until() - one.machine.now().boot;
  }
};

TEST_F(InPlace, WhatTheProcessBeforeHasLeftIsTakenOverAtOnce) {
  LoopWorker& one = owner();
  crash(one);
  one.left = one.kept;
  come_back(one);
  produce("acme", "a");
  for (const PartitionId partition : all) EXPECT_LE(wait_of(one, partition), seconds(0));
  cluster.run_for(seconds(1));
  EXPECT_EQ(one.owned(), 4u);
  EXPECT_EQ(succeeded(), 1u);
}

TEST_F(InPlace, WhereNothingIsLeftTheLeaseIsWaitedFor) {
  LoopWorker& one = owner();
  crash(one);
  one.left = one.kept;
  one.left.erase(1);
  come_back(one);
  EXPECT_GT(wait_of(one, 1), kLeastWait);
  EXPECT_LE(wait_of(one, 2), seconds(0));
}

TEST_F(InPlace, WhatAnotherWorkerHasClaimedSinceIsWaitedFor) {
  LoopWorker& one = owner();
  crash(one);
  one.left = one.kept;
  LoopWorker& two = worker();
  two.loop->listener(two.machine.now()).on_assigned(all);
  ASSERT_TRUE(until([&] { return two.owned() == 4; }));
  crash(two);
  come_back(one);
  for (const PartitionId partition : all) EXPECT_GT(wait_of(one, partition), kLeastWait);
}

TEST_F(InPlace, TheWaitForAnEarlierOwnerIsNotCutShort) {
  LoopWorker& one = owner();
  crash(one);
  LoopWorker& two = worker();
  two.loop->listener(two.machine.now()).on_assigned(all);
  const Instant until = two.machine.now().boot + wait_of(two, 0);
  ASSERT_GT(wait_of(two, 0), kLeastWait);
  cluster.run_for(seconds(1));
  crash(two);
  two.left = two.kept;
  come_back(two);
  EXPECT_GT(wait_of(two, 0), seconds(0));
  EXPECT_EQ(two.loop->tenure(0)->owner().wait_until(), until);
}

// Attempts of its own may run on, which only its own last tenure tells of.
TEST_F(InPlace, AProcessAsksOnceWhatWasLeftAndThenKnowsItsOwn) {
  LoopWorker& one = owner();
  EXPECT_EQ(one.left_asked, 4);
  const Offset first = one.kept[0].epoch;
  one.loop->tenure(0)->lose("no broker answers");
  ASSERT_TRUE(until([&] { return one.owned() == 4 && one.kept[0].epoch > first; }));
  EXPECT_EQ(one.left_asked, 4);
  EXPECT_EQ(one.kept[0].since, first);
}

}  // namespace
}  // namespace penstock
