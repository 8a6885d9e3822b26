// A simulated log with the topics of two queues, for what operators do with replays; the test plays
// the partitions' owners.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "consumer/control/control.h"
#include "consumer/operate/replay_desk.h"
#include "topics/names.h"
#include "topics/simulated/simulated_log.h"

namespace penstock {

class ReplayStage {
 public:
  static constexpr const char* kTopic = "penstock.mail";
  static constexpr const char* kDeadTopic = "penstock.mail.dead";

  // `config`: of the topics with jobs.
  explicit ReplayStage(const std::vector<TopicProperty>& config = {}) {
    for (const char* const topic : {kTopic, kDeadTopic, "penstock.shadow"})
      EXPECT_TRUE(
          log_.create({.name = topic, .partitions = 2, .replication = 1, .config = config}));
    EXPECT_TRUE(log_.create(
        {.name = control_topic("penstock"), .partitions = 1, .replication = 1, .config = {}}));
  }

  [[nodiscard]] SimulatedLog& log() { return log_; }
  [[nodiscard]] SimulatedCluster& cluster() { return cluster_; }
  [[nodiscard]] std::unique_ptr<Log> another_log() {
    return std::make_unique<SimulatedLog>(cluster_, host_);
  }
  [[nodiscard]] Time now() const { return cluster_.wall(); }
  void pass(std::chrono::milliseconds time) { cluster_.run_for(time); }

  [[nodiscard]] static std::vector<QueuePolicy> queues() {
    std::vector<QueuePolicy> queues(2);
    queues[0].name = "mail";
    queues[1].name = "shadow";
    for (QueuePolicy& queue : queues) queue.partitions = 2;
    return queues;
  }
  [[nodiscard]] ReplayDesk desk() { return {log_, "penstock", queues()}; }

  void job(PartitionId partition, const std::string& account, const std::string& value) {
    cluster_.append(kTopic, partition, {.key = account, .value = value, .headers = {}});
  }
  // Jobs "<account>-0" and so on, one second after the other.
  void jobs(PartitionId partition, const std::string& account, int count) {
    for (int i = 0; i < count; ++i) {
      job(partition, account,
          R"({"type":"send","id":")" + account + "-" + std::to_string(i) + R"(","args":{"n":)" +
              std::to_string(i) + "}}");
      pass(std::chrono::seconds(1));
    }
  }
  void die(PartitionId partition, const std::string& at, const std::string& reason) {
    const std::vector<HeaderView> headers{{kReasonHeader, reason}, {"penstock-at", at}};
    cluster_.append(kDeadTopic, partition,
                    {.key = "acme", .value = R"({"type":"send","id":"d"})", .headers = headers});
  }
  void report(const ReplayTarget& target, PartitionId partition, const ReplayProgress& progress) {
    put(replay_report_key(target, partition), to_json_text(progress));
  }
  void put(const std::string& key, const std::string& value) {
    cluster_.append(control_topic("penstock"), 0, {.key = key, .value = value, .headers = {}});
  }
  // How many records the control topic has had.
  [[nodiscard]] std::int64_t told() const {
    return cluster_.partition(control_topic("penstock"), 0).end().value;
  }

  [[nodiscard]] static ReplayProgress progress(Offset next, bool done) {
    ReplayProgress progress;
    progress.next = next;
    progress.counts.scanned = progress.counts.matched = progress.counts.admitted = next.value;
    progress.counts.ended[0] = done ? next.value : 0;
    progress.at = time_from_ms(1'800'000'100'000);
    progress.done = done;
    return progress;
  }

 private:
  static ClusterOptions options() {
    ClusterOptions options;
    options.wait_passes_time = true;
    return options;
  }
  SimulatedCluster cluster_{options()};
  SimulatedHost& host_ = cluster_.add_host();
  SimulatedLog log_{cluster_, host_};
};

// The same log; calls a function once, when it is first asked for the offsets of a topic.
class InterruptedLog : public Log {
 public:
  InterruptedLog(Log& log, std::string topic, std::function<void()> interruption)
      : log_(log), topic_(std::move(topic)), interruption_(std::move(interruption)) {}

  Result<std::unique_ptr<LogSession>> open(const SessionOptions& options) override {
    return log_.open(options);
  }
  Status create(const TopicSettings& topic) override { return log_.create(topic); }
  Status configure(const std::string& topic, const std::vector<TopicProperty>& config) override {
    return log_.configure(topic, config);
  }
  Result<TopicDescription> describe(const std::string& topic) override {
    return log_.describe(topic);
  }
  Result<int> broker_count() override { return log_.broker_count(); }
  Result<std::vector<OffsetsAt>> offsets_at(const std::string& topic, Time at) override {
    if (topic == topic_ && interruption_) std::exchange(interruption_, nullptr)();
    return log_.offsets_at(topic, at);
  }

 private:
  Log& log_;
  const std::string topic_;
  std::function<void()> interruption_;
};

inline ReplayTerms replay_terms(const std::string& json = "{}") {
  const auto terms = parse_replay_terms(nlohmann::json::parse(json));
  EXPECT_TRUE(terms) << (terms ? "" : terms.error().message);
  return terms.value_or(ReplayTerms());
}

}  // namespace penstock
