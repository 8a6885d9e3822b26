// What a tenure reads for its replays, on a log, beside the input.
#include "consumer/loop/tenure/tenure_replay.h"

#include <nlohmann/json.hpp>

#include "consumer/control/control.h"
#include "tests/consumer/loop/loop_fixture.h"

namespace penstock {
namespace {

struct Replaying : Looping {
  static constexpr PartitionId kPartition = 0;

  // An account of the partition.
  static std::string account() {
    for (int number = 0;; ++number) {
      std::string name = "account-" + std::to_string(number);
      if (partition_of(name, 4) == kPartition) return name;
    }
  }
  void produce_many(int count, std::size_t bytes = 0) {
    const std::string to = account(), args = R"({"padding":")" + std::string(bytes, 'x') + "\"}";
    for (int number = 0; number < count; ++number) {
      const std::string value =
          R"({"type":"noop","id":"job-)" + std::to_string(number) + R"(","args":)" + args + "}";
      cluster.append("penstock.mail", kPartition, {.key = to, .value = value, .headers = {}});
    }
  }
  void start_replay(const nlohmann::json& terms, int records, const std::string& name = "r") {
    ReplayRecord record;
    record.terms = *parse_replay_terms(terms);
    for (PartitionId partition = 0; partition < 4; ++partition)
      record.ranges.push_back({Offset{0}, Offset{partition == kPartition ? records : 0}});
    record.started_at = time_from_ms(1'800'000'000'000);
    tell(record, name);
  }
  void tell(const ReplayRecord& record, const std::string& name = "r") {
    const std::string key = replay_key({queue.name, name}), value = to_json_text(record);
    cluster.append("penstock.control", 0, {.key = key, .value = value, .headers = {}});
  }
  // What is in force of the replay.
  [[nodiscard]] ReplayRecord told() const {
    const ReplayTarget target{queue.name, "r"};
    Control control;
    const auto& topic = cluster.partition("penstock.control", 0);
    for (Offset at{0}; at < topic.end(); at = at.next()) {
      const auto& said = topic.at(at);
      EXPECT_TRUE(control.apply(*said.key, said.value));
    }
    const ReplayRecord* const record = control.replay(target);
    return record ? in_force(*record, control.replay_pauses(target)) : ReplayRecord{};
  }
  static ReplayRow row(LoopWorker& worker, const std::string& name = "r") {
    Tenure* const tenure = worker.loop->tenure(kPartition);
    PartitionReplay* const replay =
        tenure && tenure->task() ? tenure->task()->replays().find(name) : nullptr;
    return replay ? replay->row() : ReplayRow{};
  }
  static ReplayCounts counts(LoopWorker& worker) { return row(worker).counts; }
  // What Kafka says of a log that ends with a transaction's markers.
  static void tell_end(LoopWorker& worker, int end) {
    worker.loop->tenure(kPartition)
        ->on_end(worker.session->second_topic("penstock.mail"), Offset{end});
  }
};

TEST_F(Replaying, RecordsThatThereIsNoRoomForAreKeptAndTakenInTheirTurn) {
  // More than one step copies, and more bytes than are kept.
  constexpr int kRecords = 3000;
  constexpr std::size_t kBytes = 2000;
  static_assert(kRecords * kBytes > TenureReplay::kMaxKeptBytes);
  LoopWorker& one = worker();
  ASSERT_TRUE(until([&] { return one.owned() == 4; }));
  produce_many(kRecords, kBytes);
  ASSERT_TRUE(until([&] { return succeeded() == kRecords; }));
  start_replay({{"rate", "2000/s"}}, kRecords);
  ASSERT_TRUE(until([&] { return succeeded() == 2 * kRecords; }));
  EXPECT_EQ(counts(one).scanned, kRecords);
  EXPECT_EQ(counts(one).admitted, kRecords);
  EXPECT_EQ(counts(one).matched, kRecords);
}

TEST_F(Replaying, ARangeWhoseLastOffsetsHaveNoRecordsEndsWhereTheLogDoes) {
  LoopWorker& one = worker();
  ASSERT_TRUE(until([&] { return one.owned() == 4; }));
  produce_many(10);
  ASSERT_TRUE(until([&] { return succeeded() == 10; }));
  start_replay(nlohmann::json::object(), 12);
  ASSERT_TRUE(until([&] { return counts(one).admitted == 10; }));
  cluster.run_for(seconds(60));
  EXPECT_FALSE(row(one).read) << "a fetch may take any time";
  tell_end(one, 11);
  cluster.run_for(seconds(1));
  EXPECT_FALSE(row(one).read);
  tell_end(one, 12);
  ASSERT_TRUE(until([&] { return row(one).read; }));
  EXPECT_EQ(row(one).next, Offset{12});
  EXPECT_EQ(counts(one).scanned, 10);
}

TEST_F(Replaying, TheLogsEndIsNotTheRangesWhileRecordsAreKept) {
  StepBounds bounds;
  bounds.copies = 10;
  LoopWorker& one = workers.emplace_back(cluster, queue, 1, 64 << 20, bounds);
  ASSERT_TRUE(until([&] { return one.owned() == 4; }));
  produce_many(100);
  ASSERT_TRUE(until([&] { return succeeded() == 100; }));
  start_replay(nlohmann::json::object(), 102);
  ASSERT_TRUE(until([&] { return counts(one).admitted >= 10; }));
  ASSERT_LT(counts(one).admitted, 60) << "the others were read, and wait for their steps";
  tell_end(one, 102);
  ASSERT_TRUE(until([&] { return row(one).read; }));
  EXPECT_EQ(counts(one).admitted, 100);
}

TEST_F(Replaying, WhatALaterRecordOfTheControlTopicReplacesIsNotApplied) {
  // As a worker finds it that starts: an earlier replay of the name, its end, and the one that is.
  LoopWorker& one = worker();
  ASSERT_TRUE(until([&] { return one.owned() == 4; }));
  produce_many(100);
  ASSERT_TRUE(until([&] { return succeeded() == 100; }));
  const std::string key = replay_key({"mail", "r"});
  ReplayRecord earlier;
  earlier.started_at = time_from_ms(1'000);
  earlier.ranges.assign(4, {Offset{0}, Offset{0}});
  cluster.append("penstock.control", 0,
                 {.key = key, .value = to_json_text(earlier), .headers = {}});
  cluster.append("penstock.control", 0, {.key = key, .value = std::nullopt, .headers = {}});
  start_replay(nlohmann::json::object(), 100);
  ASSERT_TRUE(until([&] { return counts(one).admitted == 100 && counts(one).live() == 0; }));
  cluster.run_for(seconds(2));
  one.loop->stop(one.machine.now().boot + seconds(20));
  ASSERT_TRUE(until([&] { return one.loop->stopped(); }));
  LoopWorker& other = worker();
  ASSERT_TRUE(until([&] { return other.owned() == 4; }));
  cluster.run_for(seconds(2));
  EXPECT_TRUE(row(other).read);
  EXPECT_EQ(counts(other).admitted, 100);
  EXPECT_EQ(counts(other).scanned, 100);
}

TEST_F(Replaying, SeveralReplaysReadInTurnsAndEachCopiesItsRange) {
  LoopWorker& one = worker();
  ASSERT_TRUE(until([&] { return one.owned() == 4; }));
  produce_many(3000);
  ASSERT_TRUE(until([&] { return succeeded() == 3000; }));
  start_replay({{"rate", "200/s"}}, 600, "slow");
  start_replay(nlohmann::json::object(), 3000, "fast");
  ASSERT_TRUE(until([&] { return row(one, "fast").read && row(one, "slow").read; }));
  EXPECT_EQ(row(one, "fast").counts.admitted, 3000);
  EXPECT_EQ(row(one, "slow").counts.admitted, 600);
}

TEST_F(Replaying, ARateIsKeptBesideAReplayThatHasNone) {
  LoopWorker& one = worker();
  ASSERT_TRUE(until([&] { return one.owned() == 4; }));
  produce_many(2000);
  ASSERT_TRUE(until([&] { return succeeded() == 2000; }));
  // It never ends: its copies wait.
  start_replay({{"rate", "1/h"}}, 2000, "other");
  start_replay({{"rate", "100/s"}}, 2000, "slow");
  ASSERT_TRUE(until([&] { return row(one, "slow").counts.admitted > 0; }));
  const std::int64_t before = row(one, "slow").counts.admitted;
  cluster.run_for(seconds(10));
  EXPECT_GE(row(one, "slow").counts.admitted - before, 900);
}

TEST_F(Replaying, ASourceThatIsNotReadPausesTheReplayAndNothingElse) {
  LoopWorker& one = worker();
  ASSERT_TRUE(until([&] { return one.owned() == 4; }));
  produce_many(10);
  ASSERT_TRUE(until([&] { return succeeded() == 10; }));
  start_replay(nlohmann::json::object(), 12);
  ASSERT_TRUE(until([&] { return counts(one).admitted == 10; }));
  const TopicPartition source{one.session->second_topic("penstock.mail"), kPartition};
  one.session->stop_reading(source);  // as the session has done that tells of it
  one.loop->listener(one.machine.now()).on_read_refused(source, "topic: grant READ on it");
  ASSERT_TRUE(until([&] { return told().state == ReplayState::kPaused; }));
  EXPECT_EQ(told().reason, "its records cannot be read: topic: grant READ on it");
  produce(account(), "live");
  ASSERT_TRUE(until([&] { return succeeded() == 21; }));
  EXPECT_EQ(one.refused_reason + one.broken_reason, "");

  ReplayRecord resumed = told();
  resumed.state = ReplayState::kRunning;
  ++resumed.resumes;
  tell(resumed);
  cluster.run_for(seconds(3));
  tell_end(one, 12);
  ASSERT_TRUE(until([&] { return row(one).read; }));
}

struct ReplayingTheMissing : Replaying {
  ReplayingTheMissing() {
    queue.name = "half";
    for (const TopicSpec& spec : queue_topic_specs(QueueNames("penstock", "half"), {4, 1})) {
      if (spec.name.ends_with(".dead")) continue;
      EXPECT_TRUE(cluster.create(settings_of(spec)));
    }
  }
};

TEST_F(ReplayingTheMissing, ADeadTopicThatDoesNotExistPausesTheReplayAndNothingElse) {
  LoopWorker& one = worker();
  ASSERT_TRUE(until([&] { return one.owned() == 4; }));
  start_replay({{"dead", true}}, 5);
  ASSERT_TRUE(until([&] { return told().state == ReplayState::kPaused; }));
  EXPECT_EQ(told().reason.find("its records cannot be read: penstock.half.dead/0 does not exist"),
            0u)
      << told().reason;
  cluster.append("penstock.half", kPartition,
                 {.key = account(), .value = R"({"type":"noop"})", .headers = {}});
  ASSERT_TRUE(until([&] { return succeeded() == 1; }));
  EXPECT_EQ(one.refused_reason + one.broken_reason, "");
}

TEST_F(Replaying, ATenureThatLeavesCopiesNothingMore) {
  LoopWorker& one = worker();
  ASSERT_TRUE(until([&] { return one.owned() == 4; }));
  produce_many(100);
  produce(account(), "long", "held");
  ASSERT_TRUE(until([&] { return succeeded() == 100 && !one.executor_.held.empty(); }));
  start_replay({{"rate", "10/s"}}, 100);
  ASSERT_TRUE(until([&] { return counts(one).admitted >= 10; }));
  one.loop->stop(one.machine.now().boot + seconds(20));
  cluster.run_for(milliseconds(100));
  const auto admitted = counts(one).admitted;
  ASSERT_GE(admitted, 10);
  cluster.run_for(seconds(3));
  EXPECT_EQ(counts(one).admitted, admitted) << "the job that runs keeps the tenure";
  EXPECT_TRUE(one.loop->tenure(kPartition));
}

}  // namespace
}  // namespace penstock
