// A loop on the simulated log, driven by a thread of its own so that questions from the test's
// thread are answered, with virtual time.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <thread>

#include "api/source/loop_source.h"
#include "state/store/memory_store.h"
#include "topics/names.h"
#include "topics/partitioner.h"
#include "topics/simulated/cluster.h"
#include "topics/simulated/simulated_log.h"
#include "topics/topic_specs.h"

namespace penstock {

// Starts attempts and never ends them.
class HoldingExecutor final : public Executor {
 public:
  void start(AttemptRequest, Mailbox&) override {}
  void request_stop(const AttemptKey&) override {}
  void kill(const AttemptKey&) override {}
};

class LoopStage : public LoopHost {
 public:
  static constexpr int kPartitions = 4;

  LoopStage() {
    policy.name = "mail";
    policy.partitions = kPartitions;
    TypePolicy type;
    type.handler = ExecHandler{{"/held"}, 1};
    types.add("send", type);
    for (const TopicSpec& topic :
         queue_topic_specs(QueueNames("penstock", "mail"), {kPartitions, 1})) {
      if (!cluster.create(settings_of(topic))) std::abort();
    }
    for (const TopicSpec& topic : shared_topic_specs("penstock", 1)) {
      if (!cluster.create(settings_of(topic))) std::abort();
    }
  }
  ~LoopStage() override { pause(); }

  // Makes the loop, with all partitions running.
  void begin(int concurrency = 1) {
    session = *log.open({});
    LoopOptions options;
    options.queue = policy;
    options.types = &types;
    options.concurrency = concurrency;
    loop = std::make_unique<Loop>(options, *session, *this);
    for (int i = 0; i < 100'000 && !(loop->all_run() && loop->partitions().size() == kPartitions);
         ++i)
      turn();
  }
  void put(const std::string& account, const std::string& value) {
    cluster.append("penstock.mail", partition_of(account, kPartitions),
                   {.key = account, .value = value, .headers = {}});
  }
  // Goes on for so much virtual time.
  void pass(std::chrono::milliseconds span) {
    const Instant end = cluster.now() + span;
    while (cluster.now() < end) turn();
  }
  // From now on the loop turns on a thread of its own, until pause().
  void run() {
    thread = std::jthread([this](const std::stop_token& stop) {
      while (!stop.stop_requested()) turn();
    });
  }
  void pause() {
    if (!thread.joinable()) return;
    thread.request_stop();
    thread.join();
  }
  [[nodiscard]] LoopSource source(const LoopSource::Limits& limits) {
    return LoopSource({.loops =
                           [this] {
                             return std::vector<Runtime::QueueLoops>{{policy, {loop.get()}}};
                           },
                       .not_ready = [] { return std::string(); },
                       .boot = [this] { return cluster.now() + ahead; }},
                      limits);
  }

  [[nodiscard]] Now now() const { return {cluster.wall(), cluster.now()}; }
  [[nodiscard]] LoopSource source() {
    return source({.answer = std::chrono::minutes(1), .listing = std::chrono::minutes(1)});
  }

  // LoopHost
  Result<std::unique_ptr<Store>> open_store(PartitionId) override {
    return std::make_unique<MemoryStore>();
  }
  Executor* executor(const TypeRuntime&) override { return &holding; }
  int partitions_of(std::string_view) override { return kPartitions; }
  void notice(const std::string&) override {}
  void refused(const std::string& reason) override { broken(reason); }
  void broken(const std::string& reason) override {
    std::fprintf(stderr, "broken: %s\n", reason.c_str());
    std::abort();
  }
  void connection(bool, std::string_view) override {}

  QueuePolicy policy;
  TypeTable types;
  SimulatedCluster cluster{{.seed = 5}};
  SimulatedHost& host = cluster.add_host();
  SimulatedLog log{cluster, host};
  HoldingExecutor holding;
  std::unique_ptr<LogSession> session;
  std::unique_ptr<Loop> loop;
  std::jthread thread;
  std::chrono::milliseconds ahead{0};  // of the loop's time, as the source sees it

 private:
  void turn() {
    cluster.run_for(std::chrono::milliseconds(1));
    loop->take_posted();
    loop->pass(now());
  }
};

}  // namespace penstock
