// Everything at once: small workers write, read, trim and lose their partitions under a whole fault
// plan. What topics/log.h promises holds in every history, every kind of fault fires, all is well
// when the plan has ended, and a seed gives one history.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "tests/topics_simulated/recorder.h"

namespace penstock {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr int kHosts = 3, kPartitions = 2;
constexpr Instant kFaultsEnd{seconds(50)}, kWritesEnd{seconds(80)}, kEnd{seconds(90)};

// Owns partitions as a worker would, and checks what it is told.
class SmallWorker final : public LogListener {
 public:
  SmallWorker(SimulatedCluster& cluster, SimulatedHost& host)
      : cluster_(cluster), host_(host), log_(cluster, host) {
    log_.on_ready([this](SimulatedSession&) { turn(); });
    session_ = std::move(*log_.open({}));
    topic_ = session_->topic("jobs");
    session_->join(topic_, "g");
    write();
  }

  void on_assigned(std::span<const PartitionId> partitions) override {
    for (const PartitionId partition : partitions) {
      EXPECT_TRUE(held_.insert(partition).second);
      session_->bounds({topic_, partition});
    }
  }
  void on_revoked(std::span<const PartitionId> partitions) override {
    for (const PartitionId partition : partitions) {
      EXPECT_TRUE(held_.contains(partition));
      const std::uint64_t revoking = revoking_[partition] = cluster_.world().unique();
      host_.after(seconds(1), [this, partition, revoking] {
        if (revoking_[partition] != revoking) return;  // lost since
        held_.erase(partition);
        session_->finish_revoke(partition);
        stop(partition);
      });
    }
  }
  void on_lost(std::span<const PartitionId> partitions) override {
    for (const PartitionId partition : partitions) {
      EXPECT_EQ(held_.erase(partition), 1u);
      stop(partition);
      session_->check_membership(partition);
    }
  }
  void on_records(TopicPartition from, std::span<const LogRecord> records) override {
    EXPECT_TRUE(next_.contains(from.partition));
    for (const LogRecord& record : records) {
      Offset& next = next_.at(from.partition);
      EXPECT_EQ(record.offset, next);
      EXPECT_EQ(record.value, cluster_.partition("jobs", from.partition).at(next).value);
      next = next.next();
    }
  }
  void on_out_of_range(TopicPartition from, Offset position) override {
    EXPECT_LT(position, cluster_.partition("jobs", from.partition).start());
    next_.erase(from.partition);
    session_->bounds(from);
  }
  void on_appended(Lane lane, Ticket ticket, const Appended& result) override {
    const auto sent = sent_.find(ticket);
    ASSERT_NE(sent, sent_.end()) << "a second end, or one of a renewed lane";
    EXPECT_EQ(sent->second.lane, lane);
    const PartitionId partition = sent->second.partition;
    sent_.erase(sent);
    if (result.error) {
      std::erase_if(sent_, [&](const auto& entry) { return entry.second.lane == lane; });
      return session_->renew(lane);
    }
    if (!result.offset) return;
    EXPECT_EQ(cluster_.partition("jobs", partition).at(*result.offset).value,
              std::to_string(ticket));
    ++confirmed;
    if (ticket % 20 == 0) session_->delete_records({topic_, partition}, *result.offset);
  }
  void on_bounds(TopicPartition of, const Result<Bounds>& bounds) override {
    if (!held_.contains(of.partition) || next_.contains(of.partition)) return;
    if (!bounds) return session_->bounds(of);
    next_[of.partition] = bounds->start;
    session_->read(of, bounds->start);
  }
  void on_membership(PartitionId, bool) override {}
  void on_deleted(TopicPartition, const Status&) override {}
  void on_connection(bool connected, std::string_view) override {
    EXPECT_NE(connected, connected_);
    connected_ = connected;
  }
  void on_fatal(std::string_view detail) override { ADD_FAILURE() << detail; }

  int confirmed = 0;
  [[nodiscard]] const std::set<PartitionId>& held() const { return held_; }
  [[nodiscard]] bool connected() const { return connected_; }
  [[nodiscard]] bool reads_to_the_end() const {
    return std::all_of(held_.begin(), held_.end(), [&](PartitionId partition) {
      const auto at = next_.find(partition);
      return at != next_.end() && at->second == cluster_.partition("jobs", partition).end();
    });
  }

 private:
  struct Sent {
    Lane lane;
    PartitionId partition;
  };
  void turn() {
    while (session_->poll(*this)) {
    }
  }
  void stop(PartitionId partition) {
    session_->stop_reading({topic_, partition});
    next_.erase(partition);
    revoking_[partition] = 0;
  }
  void write() {
    if (cluster_.now() > kWritesEnd) return;
    for (const PartitionId partition : held_) {
      append(Lane::kState, partition);
      append(Lane::kOutbox, kPartitions - 1 - partition);
    }
    host_.after(cluster_.world().random().between(milliseconds(50), milliseconds(300)),
                [this] { write(); });
  }
  void append(Lane lane, PartitionId partition) {
    const Ticket ticket = cluster_.world().unique();
    const std::string value = std::to_string(ticket);
    const NewRecord record{.key = {}, .value = value, .headers = {}};
    if (session_->append(lane, {topic_, partition}, record, ticket))
      sent_.emplace(ticket, Sent{lane, partition});
  }

  SimulatedCluster& cluster_;
  SimulatedHost& host_;
  SimulatedLog log_;
  std::unique_ptr<LogSession> session_;
  TopicId topic_;
  bool connected_ = true;
  std::set<PartitionId> held_;
  std::map<PartitionId, Offset> next_;
  std::map<PartitionId, std::uint64_t> revoking_;
  std::map<Ticket, Sent> sent_;
};

struct Storm {
  explicit Storm(std::uint64_t seed) : cluster(options(seed)) {
    EXPECT_TRUE(
        cluster.create({"jobs", kPartitions, 3, {{"message.timestamp.type", "LogAppendTime"}}}));
    cluster.on_append([this](const std::string&, PartitionId partition, const LogRecord& record) {
      EXPECT_EQ(record.offset.value, ends[partition]++);
    });
    workers.resize(kHosts);
    for (std::size_t i = 0; i < kHosts; ++i) {
      SimulatedHost& host = cluster.add_host();
      host.set_events({.crashed = [this, i] { workers[i].reset(); },
                       .restarted = [this, i] { start(i); },
                       .paused = {},
                       .resumed = {}});
      start(i);
    }
  }
  static ClusterOptions options(std::uint64_t seed) {
    ClusterOptions options;
    options.seed = seed;
    FaultRates rates = FaultPlan::storm_rates();
    rates.weights[static_cast<std::size_t>(Fault::kForeignTrim)] = 0.5;
    rates.acknowledged_and_lost = 0.01;
    options.faults = FaultPlan(rates, kFaultsEnd);
    options.session_timeout = options.revoke_timeout = seconds(4);
    options.delivery_timeout = seconds(3);
    options.buffered_appends = 15;
    options.rates_differ = true;
    return options;
  }
  void start(std::size_t i) {
    workers[i] = std::make_unique<SmallWorker>(cluster, cluster.host(i));
  }

  SimulatedCluster cluster;
  std::vector<std::unique_ptr<SmallWorker>> workers;
  std::map<PartitionId, std::int64_t> ends;
};

TEST(SimulatedStorm, KeepsTheContractFiresEveryFaultAndHeals) {
  std::map<std::string, std::uint64_t> counts;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    Storm storm(seed);
    storm.cluster.run_until(kEnd);
    std::set<PartitionId> held;
    std::size_t holders = 0;
    for (const auto& worker : storm.workers) {
      ASSERT_TRUE(worker);
      held.insert(worker->held().begin(), worker->held().end());
      holders += worker->held().size();
      EXPECT_TRUE(worker->connected());
      EXPECT_TRUE(worker->reads_to_the_end());
    }
    EXPECT_EQ(held.size(), static_cast<std::size_t>(kPartitions));
    EXPECT_EQ(holders, held.size());
    for (const auto& [kind, times] : storm.cluster.counts()) counts[kind] += times;
  }
  for (const auto& [kind, times] : counts) {
    EXPECT_GT(times, 0u) << kind << " never fired";
    RecordProperty(kind, std::to_string(times));
  }
}

TEST(SimulatedStorm, NoFaultBeginsAfterThePlanHasEnded) {
  Storm storm(5);
  storm.cluster.run_until(kFaultsEnd + kSlowest);
  const auto before = storm.cluster.counts();
  storm.cluster.run_until(kEnd + seconds(60));
  const auto after = storm.cluster.counts();
  for (const char* kind : {"crash", "pause", "cut", "leader change", "lost request", "lost answer",
                           "duplicate request", "slow", "delete hangs", "reordered", "kick",
                           "held in cut", "broker away", "delivery time-out", "session time-out"})
    EXPECT_EQ(before.at(kind), after.at(kind)) << kind;
}

TEST(SimulatedStorm, ASeedGivesOneHistory) {
  const auto history = [](std::uint64_t seed) {
    Storm storm(seed);
    storm.cluster.run_until(kEnd);
    return std::pair(storm.cluster.history(), storm.cluster.counts());
  };
  for (std::uint64_t seed = 100; seed < 105; ++seed) EXPECT_EQ(history(seed), history(seed));
  EXPECT_NE(history(100).first, history(101).first);
}

}  // namespace
}  // namespace penstock
