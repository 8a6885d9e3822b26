// The group has dropped a worker that lives: the log says whose the partitions are.
#include <variant>

#include "state/log/log_entry.h"
#include "tests/consumer/loop/loop_fixture.h"

namespace penstock {
namespace {

struct Lost : Looping {
  const std::vector<PartitionId> all{0, 1, 2, 3};

  [[nodiscard]] bool is_released(PartitionId partition) const {
    const Result<LogEntry> last = decode_log_entry(last_state_record(partition));
    return last && std::holds_alternative<Release>(*last);
  }
  LoopWorker& owner() {
    LoopWorker& one = worker();
    EXPECT_TRUE(until([&] { return one.owned() == 4; }));
    return one;
  }
};

TEST_F(Lost, PartitionsGoOnWithoutTheGroupWhileNobodyElseHasClaimedThem) {
  LoopWorker& one = owner();
  one.loop->listener(one.machine.now()).on_lost(all);
  EXPECT_EQ(one.owned(), 0u);
  produce("acme", "a");
  // Well before the wait of a take-over is over.
  cluster.run_for(seconds(1));
  EXPECT_EQ(one.owned(), 4u);
  EXPECT_EQ(succeeded(), 1u);
}

TEST_F(Lost, WhatTheGroupConfirmsGoesOnAsItIs) {
  LoopWorker& one = owner();
  one.loop->listener(one.machine.now()).on_lost(all);
  ASSERT_TRUE(until([&] { return one.owned() == 4; }));
  const std::uint64_t number = one.loop->tenure(0)->number();
  one.loop->listener(one.machine.now()).on_assigned(all);
  cluster.run_for(seconds(2));
  EXPECT_EQ(one.owned(), 4u);
  EXPECT_EQ(one.loop->tenure(0)->number(), number);
}

TEST_F(Lost, WhatTheGroupGivesToNobodyHereIsWorkedOnUntilSomebodyAsksAndThenGivenBack) {
  LoopWorker& one = owner();
  one.loop->listener(one.machine.now()).on_lost(all);
  ASSERT_TRUE(until([&] { return one.owned() == 4; }));
  one.loop->listener(one.machine.now()).on_assigned(std::vector<PartitionId>{0, 1});
  cluster.run_for(seconds(50));
  EXPECT_EQ(one.owned(), 4u);
  ASSERT_TRUE(until([&] { return one.loop->partitions().size() == 2; }));
  EXPECT_FALSE(is_released(1));
  EXPECT_TRUE(is_released(2));
  EXPECT_TRUE(is_released(3));
}

TEST_F(Lost, APartitionThatAnotherHasClaimedIsLeftToIt) {
  LoopWorker& one = owner();
  LoopWorker& two = worker();
  ASSERT_TRUE(until([&] { return one.owned() == 2 && two.owned() == 2; }));
  const std::vector<PartitionId> mine = one.loop->partitions();
  one.loop->listener(one.machine.now()).on_lost(mine);
  two.loop->listener(two.machine.now()).on_assigned(mine);
  ASSERT_TRUE(until([&] { return one.loop->partitions().empty(); }));
  EXPECT_NE(one.notices.back().find(Owner::kTaken), std::string::npos) << one.notices.back();
  EXPECT_TRUE(until([&] { return two.owned() == 4; }));
}

TEST_F(Lost, WhatAnotherWorkerWorksOnWithoutTheGroupIsAskedFor) {
  LoopWorker& one = owner();
  one.loop->listener(one.machine.now()).on_lost(all);
  ASSERT_TRUE(until([&] { return one.owned() == 4; }));
  LoopWorker two(cluster, queue, 77);
  two.loop->listener(two.machine.now()).on_assigned(all);
  cluster.run_for(seconds(4));
  EXPECT_EQ(two.owned() + one.owned(), 4u);
  EXPECT_GE(two.owned(), 2u);
  EXPECT_TRUE(two.notices.empty()) << two.notices.front();
}

TEST_F(Lost, WhyAClaimFailsIsToldOnceHoweverOftenItIsTried) {
  LoopWorker& one = owner();
  const auto told = [&] {
    return std::count(one.notices.begin(), one.notices.end(),
                      "mail/0: given up: no broker answers");
  };
  one.loop->tenure(0)->lose("no broker answers");
  for (int claims = 0; claims < 3; ++claims) {
    ASSERT_TRUE(until([&] { return one.loop->tenure(0) && !one.loop->tenure(0)->task(); }));
    one.loop->tenure(0)->lose("no broker answers");
  }
  ASSERT_TRUE(until([&] { return one.owned() == 4; }));
  EXPECT_EQ(told(), 1);
  one.loop->tenure(0)->lose("no broker answers");
  ASSERT_TRUE(until([&] { return one.owned() == 4; }));
  EXPECT_EQ(told(), 2);
}

// An outage makes the pauses between claims grow, which its end has nothing to do with.
TEST_F(Lost, BrokersThatAreBackAreAskedAtOnce) {
  LoopWorker& one = owner();
  for (int drops = 0; drops < 8; ++drops) {
    ASSERT_TRUE(until([&] { return one.loop->tenure(0) != nullptr; }));
    one.loop->tenure(0)->lose("no broker answers");
    cluster.run_for(milliseconds(20));
  }
  ASSERT_EQ(one.loop->tenure(0), nullptr);
  one.loop->listener(one.machine.now()).on_connection(true, "connected to the brokers");
  cluster.run_for(milliseconds(300));
  EXPECT_EQ(one.owned(), 4u);
}

TEST_F(Lost, AStopEndsWhatTheGroupHasNotConfirmed) {
  LoopWorker& one = owner();
  one.loop->listener(one.machine.now()).on_lost(all);
  ASSERT_TRUE(until([&] { return one.owned() == 4; }));
  one.loop->stop(one.machine.now().boot + seconds(5));
  ASSERT_TRUE(until([&] { return one.loop->stopped(); }));
  for (const PartitionId partition : all) EXPECT_TRUE(is_released(partition)) << partition;
}

}  // namespace
}  // namespace penstock
