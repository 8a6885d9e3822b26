// Loops on a simulated cluster without faults: a worker each, turned whenever it has something.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "consumer/loop/loop.h"
#include "consumer/loop/standby/standby_choice.h"
#include "state/store/memory_store.h"
#include "topics/partitioner.h"
#include "topics/simulated/simulated_log.h"
#include "topics/topic_specs.h"

namespace penstock {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Keeps what it is given until the test lets it end.
struct HeldExecutor final : Executor {
  std::vector<std::pair<AttemptRequest, Mailbox*>> held;
  std::vector<AttemptKey> stops, kills;
  bool is_deaf = false;  // what is killed runs on
  std::vector<AttemptRequest> deaf;
  std::function<void()> on_start = [] {};

  void start(AttemptRequest request, Mailbox& mailbox) override {
    on_start();
    held.emplace_back(std::move(request), &mailbox);
  }
  void request_stop(const AttemptKey& key) override { stops.push_back(key); }
  void kill(const AttemptKey& key) override {
    kills.push_back(key);
    for (const auto& [request, mailbox] : held) {
      if (is_deaf && request.key == key) deaf.push_back(request);
    }
    std::erase_if(held, [&](const auto& one) { return one.first.key == key; });
  }
  [[nodiscard]] bool still_runs(const AttemptKey& key) const override {
    return std::any_of(deaf.begin(), deaf.end(), [&](const auto& one) { return one.key == key; });
  }
  void end_all() {
    for (auto& [request, mailbox] : std::exchange(held, {})) {
      mailbox->post(AttemptEnded{request.key, Done{}, {}});
    }
  }
};

// RocksDB on a disk that gets full.
struct FullStore final : Store {
  MemoryStore rows;
  struct Faults {
    bool is_full = false;
    bool is_blind = false;  // its estimates are far too low
  };
  const Faults& faults;

  FullStore(MemoryStore::Contents contents, const Faults& disk)
      : rows(std::move(contents)), faults(disk) {}
  [[nodiscard]] bool get(std::string_view key, std::string* value) override {
    return rows.get(key, value);
  }
  [[nodiscard]] std::unique_ptr<RowIterator> scan(std::string_view from,
                                                  std::string_view to) override {
    return rows.scan(from, to);
  }
  [[nodiscard]] std::optional<LogPosition> position() override { return rows.position(); }
  [[nodiscard]] Status apply(std::string_view batch, const LogPosition& position) override {
    if (faults.is_full)
      return failure("writing 3 rows in RocksDB failed: IO error: No space left on device");
    return rows.apply(batch, position);
  }
  [[nodiscard]] std::uint64_t taken() const override { return rows.taken(); }
  [[nodiscard]] std::uint64_t written() const override { return rows.written(); }
  [[nodiscard]] Status restore(std::string_view batch, const LogPosition& position) override {
    return rows.restore(batch, position);
  }
  [[nodiscard]] Status settle() override { return rows.settle(); }
  [[nodiscard]] Status discard() override { return rows.discard(); }
  [[nodiscard]] Status set_aside() override { return rows.set_aside(); }
  [[nodiscard]] Status end_aside(bool keep) override { return rows.end_aside(keep); }
  [[nodiscard]] std::string kept_aside() override { return rows.kept_aside(); }
  [[nodiscard]] std::uint64_t approximate_bytes() override {
    return faults.is_blind ? 0 : rows.approximate_bytes();
  }
};

// A worker: a host with one loop on it, turned whenever it has something and every 10 ms.
struct LoopWorker final : LoopHost {
  SimulatedCluster& cluster;
  SimulatedHost& machine;
  SimulatedLog log;
  TypeTable types;
  HeldExecutor executor_;
  std::map<PartitionId, MemoryStore::Contents> disks;
  std::unique_ptr<LogSession> session;
  LoopOptions options;
  std::unique_ptr<Loop> loop;
  std::map<PartitionId, LastTenure> left, kept;
  struct {
    std::set<PartitionId> has, wants;  // rows
  } other_loop;                        // of the process
  int left_asked = 0;
  FullStore::Faults disk_faults;
  int places = 10;
  std::string broken_reason, refused_reason;
  std::vector<std::string> notices;
  CrashNotices crashes;
  struct {
    std::function<void()> attempt_started = [] {};
    std::function<void(const AttemptKey&)> attempt_ended = [](const AttemptKey&) {};
  } on;

  LoopWorker(SimulatedCluster& on, const QueuePolicy& queue, std::uint64_t nonce,
             std::uint64_t trim_bytes = 64 << 20, const StepBounds& bounds = {},
             std::uint32_t queue_number = 0)
      : cluster(on), machine(on.add_host()), log(on, machine) {
    TypePolicy noop;
    noop.handler = NoopHandler{};
    types.add("noop", noop);
    types.add("held", {});
    options.instance = "w" + std::to_string(nonce);
    options.client_id = client_id_of("worker", options.instance);
    options.queue = queue;
    options.types = &types;
    options.nonce = nonce << 32;
    options.trim_bytes = trim_bytes;
    options.bounds = bounds;
    options.queue_number = queue_number;
    start();
  }
  void start() {
    session = std::move(*log.open({.client_id = options.client_id, .instance_id = ""}));
    loop = std::make_unique<Loop>(options, *session, *this);
    tick();
  }
  void pass() {
    loop->take_posted();
    loop->pass(machine.now());
  }
  void tick() {
    if (loop && !loop->stopped()) pass();
    machine.after(milliseconds(10), [this] { tick(); });
  }
  [[nodiscard]] std::size_t owned() const {
    std::size_t running = 0;
    for (const PartitionId partition : loop->partitions()) {
      const Tenure* const tenure = loop->tenure(partition);
      running += tenure && tenure->runs() ? 1 : 0;
    }
    return running;
  }
  [[nodiscard]] TaskCounters counters() const {
    TaskCounters all = loop->past_counters();
    for (const PartitionId partition : loop->partitions()) {
      Tenure* const tenure = loop->tenure(partition);
      if (tenure && tenure->task()) all += tenure->task()->counters();
    }
    return all;
  }

  Result<std::unique_ptr<Store>> open_store(PartitionId partition) override {
    if (other_loop.has.contains(partition)) return nullptr;
    return std::make_unique<FullStore>(disks[partition], disk_faults);
  }
  void close_store(PartitionId partition, std::unique_ptr<Store> store) override {
    disks[partition] = static_cast<FullStore&>(*store).rows.contents();
  }
  bool is_store_wanted(PartitionId partition) override {
    return other_loop.wants.contains(partition);
  }
  Executor* executor(const TypeRuntime&) override { return &executor_; }
  int partitions_of(std::string_view) override { return 0; }
  int offer_places(int running, int) override { return places - running; }
  LastTenure left_tenure(PartitionId partition) override {
    ++left_asked;
    return left[partition];
  }
  void keep_tenure(PartitionId partition, const LastTenure& tenure) override {
    kept[partition] = tenure;
  }
  void attempt_started(const AttemptRequest&) override { on.attempt_started(); }
  void attempt_ended(const AttemptKey& key) override { on.attempt_ended(key); }
  void notice_sent(const InFlight& job) override { crashes.sent(job); }
  void notice_appended(const InFlight& job, std::optional<Offset> at) override {
    crashes.appended(job, at);
  }
  bool awaits_notice(std::string_view account, std::string_view id, Offset input_next,
                     Offset counted) override {
    return crashes.awaited("mail", account, id, input_next, counted);
  }
  void notice(const std::string& text) override { notices.push_back(text); }
  void broken(const std::string& reason) override { broken_reason = reason; }
  void refused(const std::string& reason) override { refused_reason = reason; }
  void connection(bool, std::string_view) override {}
};

struct Looping : testing::Test {
  SimulatedCluster cluster;
  QueuePolicy queue;
  std::deque<LoopWorker> workers;

  explicit Looping(const ClusterOptions& options = {.seed = 5}) : cluster(options) {
    queue.name = "mail";
    queue.partitions = 4;
    for (const TopicSpec& spec : queue_topic_specs(QueueNames("penstock", "mail"), {4, 1})) {
      EXPECT_TRUE(cluster.create(settings_of(spec)));
    }
    for (const TopicSpec& spec : shared_topic_specs("penstock", 1)) {
      EXPECT_TRUE(cluster.create(settings_of(spec)));
    }
  }
  LoopWorker& worker() { return workers.emplace_back(cluster, queue, workers.size() + 1); }
  void produce(const std::string& account, const std::string& id,
               const std::string& type = "noop") {
    const std::string value = R"({"type":")" + type + R"(","id":")" + id + "\"}";
    cluster.append("penstock.mail", partition_of(account, 4),
                   {.key = account, .value = value, .headers = {}});
  }
  // Until it holds, at most a minute of virtual time.
  template <typename Condition>
  bool until(Condition condition) {
    for (int i = 0; i < 6000 && !condition(); ++i) cluster.run_for(milliseconds(10));
    return condition();
  }
  [[nodiscard]] std::uint64_t succeeded() const {
    std::uint64_t all = 0;
    for (const LoopWorker& one : workers) all += one.loop ? one.counters().succeeded : 0;
    return all;
  }
  // A worker that runs job "a" of acme, and its machine crashes.
  static void crash(LoopWorker& worker) {
    HostEvents events;
    events.crashed = [&worker] {
      worker.loop.reset();
      worker.session.reset();
    };
    worker.machine.set_events(events);
    worker.machine.crash();
  }
  void die_with_a_job_in_flight() {
    LoopWorker& one = worker();
    ASSERT_TRUE(until([&] { return one.owned() == 4; }));
    produce("acme", "a", "held");
    ASSERT_TRUE(until([&] { return one.executor_.held.size() == 1; }));
    cluster.run_for(seconds(1));
    crash(one);
  }
  [[nodiscard]] std::string last_state_record(PartitionId partition) const {
    const auto& log = cluster.partition("penstock.mail.state", partition);
    return std::string(log.at(Offset{log.end().value - 1}).value.value_or(""));
  }
};

}  // namespace penstock
