// Loops in trouble: records that are too large, topics that are missing or too small, a buffer that
// is full. Each is named, and none holds up the rest.
#include <algorithm>

#include "tests/consumer/loop/loop_fixture.h"
#include "topics/record/dead_record.h"

namespace penstock {
namespace {

struct Troubled : Looping {
  explicit Troubled(const ClusterOptions& options = {.seed = 5}) : Looping(options) {}

  void bad(PartitionId partition, const std::string& value) {
    cluster.append("penstock.mail", partition, {.key = "acme", .value = value, .headers = {}});
  }
  [[nodiscard]] std::int64_t end_of(const std::string& topic) const {
    std::int64_t all = 0;
    for (PartitionId partition = 0; partition < 4; ++partition)
      all += cluster.partition(topic, partition).end().value;
    return all;
  }
  // A queue whose topics are as `change` leaves them; it may drop some.
  template <typename Change>
  void make_queue(const std::string& name, Change change) {
    queue.name = name;
    for (TopicSpec spec : queue_topic_specs(QueueNames("penstock", name), {4, 1})) {
      if (!change(spec)) continue;
      ASSERT_TRUE(cluster.create(settings_of(spec)));
    }
  }
  [[nodiscard]] static std::size_t notices_with(const LoopWorker& worker, const std::string& text) {
    return static_cast<std::size_t>(std::count_if(
        worker.notices.begin(), worker.notices.end(),
        [&](const std::string& notice) { return notice.find(text) != std::string::npos; }));
  }
};

// Kafka's limits count compressed batches, so such records do arrive.
TEST_F(Troubled, RecordsLargerThanACommitOrTheDeadTopicHoldNothingUpAndEveryBadRecordArrivesOnce) {
  const PartitionId home = partition_of("acme", 4);
  LoopWorker& one = worker();
  ASSERT_TRUE(until([&] { return one.owned() == 4; }));
  for (const std::size_t megabytes : {3u, 8u, 24u}) bad(home, std::string(megabytes << 20, 'x'));
  for (int i = 0; i < 5; ++i) bad(home, "bad " + std::to_string(i));
  produce("acme", "good");
  ASSERT_TRUE(until([&] { return succeeded() == 1; }));
  ASSERT_TRUE(until([&] { return end_of("penstock.mail.dead") == 8; }));
  cluster.run_for(seconds(30));
  EXPECT_EQ(end_of("penstock.mail.dead"), 8);
  EXPECT_EQ(one.broken_reason, "");
  EXPECT_TRUE(one.notices.empty()) << one.notices[0];
  EXPECT_EQ(one.loop->trouble(), "");
}

TEST_F(Troubled, ADeadTopicThatTakesLessThanItShouldGetsHeadsAndEveryBadRecordOnce) {
  make_queue("small", [](TopicSpec& spec) {
    if (!spec.name.ends_with(".dead")) return true;
    for (TopicSetting& rule : spec.rules) {
      if (rule.name == "max.message.bytes") rule.value = "100000";
    }
    return true;
  });
  LoopWorker& one = worker();
  ASSERT_TRUE(until([&] { return one.owned() == 4; }));
  cluster.append("penstock.small", 0,
                 {.key = "acme", .value = std::string(3 << 20, 'x'), .headers = {}});
  for (int i = 0; i < 5; ++i)
    cluster.append("penstock.small", 0, {.key = "acme", .value = "bad", .headers = {}});
  ASSERT_TRUE(until([&] { return end_of("penstock.small.dead") == 6; }));
  cluster.run_for(seconds(30));
  EXPECT_EQ(end_of("penstock.small.dead"), 6);
  EXPECT_TRUE(one.notices.empty()) << one.notices[0];
}

TEST_F(Troubled, AMissingDeadTopicIsNamedAndWhatWaitsForItArrivesWhenItIsThere) {
  TopicSpec missing;
  make_queue("half", [&](const TopicSpec& spec) {
    if (!spec.name.ends_with(".dead")) return true;
    missing = spec;
    return false;
  });
  LoopWorker& one = worker();
  ASSERT_TRUE(until([&] { return one.owned() == 4; }));
  EXPECT_EQ(one.loop->trouble(), "");
  for (int i = 0; i < 3; ++i)
    cluster.append("penstock.half", 1, {.key = "acme", .value = "bad", .headers = {}});
  ASSERT_TRUE(until([&] { return !one.loop->trouble().empty(); }));
  EXPECT_NE(one.loop->trouble().find("3 messages for the topic penstock.half.dead"),
            std::string::npos)
      << one.loop->trouble();
  EXPECT_NE(one.loop->trouble().find("does not exist"), std::string::npos);
  ASSERT_EQ(one.loop->undelivered().topics().size(), 1u);
  EXPECT_EQ(one.loop->undelivered().topics().at("penstock.half.dead").messages, 3u);
  cluster.run_for(seconds(30));
  EXPECT_EQ(notices_with(one, "penstock.half.dead"), 1u) << "once, not each time";

  ASSERT_TRUE(cluster.create(settings_of(missing)));
  ASSERT_TRUE(until([&] { return end_of("penstock.half.dead") == 3; }));
  ASSERT_TRUE(until([&] { return one.loop->trouble().empty(); }));
  EXPECT_EQ(notices_with(one, "are delivered again"), 1u);
}

TEST_F(Troubled, APartitionThatIsGivenUpAgainAndAgainPausesAndNamesTheReason) {
  make_queue("tight", [](TopicSpec& spec) {
    if (!spec.name.ends_with(".state")) return true;
    for (TopicSetting& rule : spec.rules) {
      if (rule.name == "max.message.bytes") rule.value = "2000";
    }
    return true;
  });
  LoopWorker& one = worker();
  ASSERT_TRUE(until([&] { return one.owned() == 4; }));
  const std::string later = R"({"type":"noop","run_at":"2100-01-01T00:00:00Z","args":")";
  cluster.append("penstock.tight", 2,
                 {.key = "b", .value = later + std::string(5000, 'x') + "\"}", .headers = {}});
  ASSERT_TRUE(until([&] { return notices_with(one, "given up") >= 3; }));
  ASSERT_TRUE(until([&] {
    return one.loop->trouble().find("max.message.bytes") != std::string::npos;
  })) << one.loop->trouble();
  const std::size_t before = notices_with(one, "given up");
  cluster.run_for(seconds(60));
  EXPECT_LT(notices_with(one, "given up") - before, 30u) << "hundreds, at a pause that stays";
}

// -- A full buffer

struct SmallBuffer : Troubled {
  SmallBuffer() : Troubled({.seed = 5, .buffered_bytes = 1 << 20}) {}
};

TEST_F(SmallBuffer, CommitsWaitForRoomAndNoPartitionIsGivenUp) {
  LoopWorker& one = worker();
  ASSERT_TRUE(until([&] { return one.owned() == 4; }));
  const std::string head = R"({"type":"noop","run_at":"2100-01-01T00:00:00Z","args":")";
  for (PartitionId partition = 0; partition < 4; ++partition) {
    std::string account = "a";
    while (partition_of(account, 4) != partition) account += "a";
    for (int i = 0; i < 15; ++i) {
      cluster.append(
          "penstock.mail", partition,
          {.key = account, .value = head + std::string(900'000, 'x') + "\"}", .headers = {}});
    }
  }
  ASSERT_TRUE(until([&] { return one.counters().admitted == 60; }));
  cluster.run_for(seconds(5));
  EXPECT_EQ(one.counters().admitted, 60u) << "none of them twice";
  EXPECT_TRUE(one.notices.empty()) << one.notices[0];
  EXPECT_GT(cluster.counts().at("buffer full"), 0u) << "the test has reached it";
}

}  // namespace
}  // namespace penstock
