// What a loop does about topics that are not the ones that its state is of, or are gone.
#include "tests/consumer/loop/loop_fixture.h"

namespace penstock {
namespace {

struct LoopTopics : Looping {
  static constexpr const char* kAccount = "acme";
  [[nodiscard]] PartitionId partition() const { return partition_of(kAccount, 4); }

  // A worker that has taken and recorded some jobs.
  LoopWorker& at_work(int jobs) {
    LoopWorker& one = worker();
    for (int i = 0; i < jobs; ++i) produce(kAccount, "before" + std::to_string(i));
    EXPECT_TRUE(until([&] {
      return one.owned() == 4 && one.counters().succeeded == static_cast<std::uint64_t>(jobs);
    }));
    cluster.run_for(seconds(5));
    return one;
  }
  void expect_refused(LoopWorker& one, const std::string& because) {
    EXPECT_TRUE(until([&] { return !one.refused_reason.empty(); }));
    EXPECT_NE(one.refused_reason.find(because), std::string::npos) << one.refused_reason;
    EXPECT_TRUE(until([&] { return one.loop->stopped(); }));
    EXPECT_EQ(one.broken_reason, "");
  }
  [[nodiscard]] static bool keeps_a_copy(const LoopWorker& one, PartitionId partition) {
    return !one.disks.at(partition).kept_aside.empty();
  }
};

TEST_F(LoopTopics, AQueueTopicThatIsCreatedAgainIsRefusedHoweverLongItIs) {
  LoopWorker& one = at_work(5);
  cluster.recreate("penstock.mail");
  for (int i = 0; i < 20; ++i) produce(kAccount, "after" + std::to_string(i));
  expect_refused(one, "deleted and created again");
  EXPECT_NE(one.refused_reason.find("penstock.mail.state"), std::string::npos) << "the way out";
  EXPECT_EQ(one.counters().succeeded, 5u);
  LoopWorker& two = worker();
  expect_refused(two, "deleted and created again");
  EXPECT_EQ(two.counters().succeeded, 0u);
}

TEST_F(LoopTopics, AStateTopicThatIsCreatedAgainIsRefusedAndTheCopyKept) {
  LoopWorker& one = at_work(5);
  cluster.recreate("penstock.mail.state");
  expect_refused(one, "penstock.mail.state");
  EXPECT_NE(one.refused_reason.find("deleted and created again"), std::string::npos)
      << one.refused_reason;
  std::size_t copies = 0;
  for (const auto& [partition, disk] : one.disks) copies += keeps_a_copy(one, partition) ? 1 : 0;
  EXPECT_GE(copies, 1u);
}

TEST_F(LoopTopics, BothTopicsCreatedAgainAreRefusedWhileACopyOfTheOldOnesIsLeft) {
  LoopWorker& one = at_work(5);
  one.loop->stop(one.machine.now().boot + seconds(5));
  ASSERT_TRUE(until([&] { return one.loop->stopped(); }));
  cluster.recreate("penstock.mail.state");
  cluster.recreate("penstock.mail");
  produce(kAccount, "after");
  LoopWorker& two = workers.emplace_back(cluster, queue, 2);
  two.disks = one.disks;
  expect_refused(two, "deleted and created again");
  EXPECT_EQ(two.counters().succeeded, 0u);
}

// Its topics and its copies are gone: it begins anew.
TEST_F(LoopTopics, BothTopicsCreatedAgainAreWorkedOnByAWorkerWithoutACopy) {
  LoopWorker& one = at_work(5);
  one.loop->stop(one.machine.now().boot + seconds(5));
  ASSERT_TRUE(until([&] { return one.loop->stopped(); }));
  cluster.recreate("penstock.mail.state");
  cluster.recreate("penstock.mail");
  cluster.forget_group("penstock.mail");  // as Kafka does with the offsets of a deleted topic
  produce(kAccount, "after");
  LoopWorker& two = worker();
  EXPECT_TRUE(until([&] { return two.counters().succeeded == 1; }));
  EXPECT_EQ(two.refused_reason, "");
}

TEST_F(LoopTopics, AQueueTopicThatHasLostItsEndIsNotReadOnBehindIt) {
  LoopWorker& one = at_work(5);
  const TopicPartition input{one.session->topic("penstock.mail"), partition()};
  one.session->stop_reading(input);  // as the session has done that tells of it
  one.loop->listener(one.machine.now()).on_truncated(input, Offset{5});
  expect_refused(one, "has lost records below offset 5");
}

TEST_F(LoopTopics, TroubleThatASessionCannotGoOnFromStopsTheLoopInGoodOrder) {
  LoopWorker& one = at_work(5);
  one.loop->listener(one.machine.now()).on_fatal("topic \"penstock.mail\" does not exist");
  expect_refused(one, "does not exist");
  const std::string last = last_state_record(partition());
  EXPECT_TRUE(std::holds_alternative<Release>(decode_log_entry(last).value()));
}

}  // namespace
}  // namespace penstock
