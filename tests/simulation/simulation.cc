#include "tests/simulation/simulation.h"

#include <algorithm>
#include <utility>

#include "consumer/control/control.h"
#include "state/rows/dedup_index.h"
#include "tests/simulation/checks/flow/pool_checks.h"
#include "tests/simulation/checks/log/gap_checks.h"
#include "topics/topic_specs.h"
#include "topics/values/check.h"

namespace penstock::simulation {

using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

// When a bulk is surely forgotten, beyond what hosts' clocks differ by and how often is looked.
constexpr seconds kForgottenWithin{8};
constexpr const char* kLoweredBytes = "300000";  // of the dead topic, by an operator
constexpr double kBelieved = 0.004;  // of the produce requests are acknowledged and enter no log

void lower_message_bytes(TopicSpec& spec) {
  for (TopicSetting& rule : spec.rules) {
    if (rule.name == "max.message.bytes") rule.value = kLoweredBytes;
  }
}

}  // namespace

// Reads a state log from its start, slowly, while others write and cut it.
class Simulation::Standby {
 public:
  Standby(Simulation& simulation, PartitionId partition)
      : simulation_(simulation), partition_(partition) {
    restart();
  }

  void step() {
    if (simulation_.checker_.is_recreated()) return;
    if (next_ < log().start()) {
      ++simulation_.counts_["standby overtaken by a trim"];
      restart();
    }
    constexpr std::array kChunks = {3, 10, 40};
    for (int left = kChunks[simulation_.random_.below(kChunks.size())]; left > 0; --left) {
      if (next_ >= goal_) {
        return simulation_.checker_.stores().standby(partition_, goal_.value, store_->digest(),
                                                     follower_->seq(), follower_->whole());
      }
      const LogRecord record = log().at(next_);
      const auto fed = follower_->feed(record.offset, *record.value, record.timestamp);
      PENSTOCK_CHECK(fed.has_value(), "a standby reads every record");
      next_ = next_.next();
    }
    constexpr std::array kPauses = {10, 100, 1000};
    const auto pause = milliseconds(kPauses[simulation_.random_.below(kPauses.size())]);
    simulation_.cluster_.at(simulation_.cluster_.now() + pause, [this] { step(); });
  }

 private:
  [[nodiscard]] const SimulatedCluster::Partition& log() const {
    return simulation_.cluster_.partition(names().state_topic(), partition_);
  }
  // Whole only from the end of the sweep that came before the cut.
  void restart() {
    store_ = std::make_unique<ReferenceStore>();
    follower_ = std::make_unique<Follower>(*store_);
    next_ = log().start();
    goal_ = log().end();
  }

  Simulation& simulation_;
  PartitionId partition_;
  std::unique_ptr<ReferenceStore> store_;
  std::unique_ptr<Follower> follower_;
  Offset next_, goal_;
};

ClusterOptions Simulation::options(const Settings& settings) {
  ClusterOptions options;
  options.seed = settings.seed;
  FaultRates rates = FaultPlan::storm_rates();
  if (settings.believed) rates.acknowledged_and_lost = kBelieved;
  if (settings.faults) options.faults = FaultPlan(rates, kFaultsEnd);
  options.session_timeout = settings.session_timeout;
  // Workers give back what is revoked at once, so only a member that is cut off for a while is late.
  options.revoke_timeout = milliseconds(1500);
  options.buffered_appends = settings.buffered_appends;
  options.delivery_timeout = settings.delivery_timeout;
  options.rates_differ = settings.faults;
  return options;
}

Simulation::Simulation(const Settings& settings)
    : settings_(settings),
      cluster_(options(settings)),
      checker_(settings_, cluster_),
      random_(settings.seed * 1009 + 3),
      traffic_(settings_, cluster_),
      replays_(settings_, cluster_) {
  make_topics();
  if (settings.trace) {
    checker_.on_say([this](const std::string& text) {
      char time[32];
      const double now = std::chrono::duration<double>(cluster_.now().time_since_epoch()).count();
      std::snprintf(time, sizeof(time), "%9.3f ", now);
      trace_.push_back(time + text);
    });
  }
  cluster_.on_append(
      [this](const std::string& topic, PartitionId partition, const LogRecord& record) {
        checker_.appended(topic, partition, record);
      });
  checker_.on_bulk_done([this](const Bulk& bulk) { bulk_done(bulk); });
  for (std::size_t i = 0; i < kWorkers; ++i) {
    SimulatedHost& host = cluster_.add_host();
    workers_.push_back(std::make_unique<SimulatedWorker>(settings_, cluster_, host, checker_));
  }
}

Simulation::~Simulation() = default;

void Simulation::make_topics() {
  for (TopicSpec spec : queue_topic_specs(names(), {settings_.queue.partitions, 3})) {
    if (settings_.oversized && spec.name == names().dead_topic()) lower_message_bytes(spec);
    PENSTOCK_CHECK(cluster_.create(settings_of(spec)).has_value(), "the topics are new");
  }
  if (settings_.replays) {
    const QueueNames shadow(kPrefix, kShadowQueue);
    const auto specs = queue_topic_specs(shadow, {kShadowPartitions, 3});
    PENSTOCK_CHECK(cluster_.create(settings_of(specs.front())).has_value(), "the topic is new");
  }
  for (TopicSpec spec : shared_topic_specs(kPrefix, 3)) {
    if (spec.name != control_topic(kPrefix)) spec.partitions = kOwnerPartitions;
    PENSTOCK_CHECK(cluster_.create(settings_of(spec)).has_value(), "the topics are new");
  }
}

// The first of two bulks of one id: the other comes when it has been forgotten.
void Simulation::bulk_done(const Bulk& bulk) {
  if (bulk.account != kTwinAccount || !checker_.model().forgotten_bulks().empty()) return;
  const Duration kept =
      std::max(DedupWindow(settings_.queue.dedup_window).longest(), settings_.type.keep_succeeded);
  cluster_.at(cluster_.now() + kept + kForgottenWithin, [this, id = bulk.id] {
    checker_.model().forget_bulk(std::string(kTwinAccount), id);
    traffic_.twin("second");
  });
}

void Simulation::stop_somebody() {
  if (cluster_.now() >= kFaultsEnd) return;
  workers_[random_.below(workers_.size())]->stop();
  ++counts_["worker stopped"];
  cluster_.at(cluster_.now() + random_.between(seconds(4), seconds(20)),
              [this] { stop_somebody(); });
}

void Simulation::audit() {
  const auto partitions = static_cast<std::uint64_t>(settings_.queue.partitions);
  const auto partition = static_cast<PartitionId>(random_.below(partitions));
  const auto& log = cluster_.partition(names().state_topic(), partition);
  if (log.end().value > 0) {
    standbys_.push_back(std::make_unique<Standby>(*this, partition));
    standbys_.back()->step();
  }
  cluster_.at(cluster_.now() + random_.between(milliseconds(500), milliseconds(3000)),
              [this] { audit(); });
}

// What retention would do: the log's start moves to a place that no owner has given up.
void Simulation::cut_a_log() {
  const auto partitions = static_cast<std::uint64_t>(settings_.queue.partitions);
  const auto partition = static_cast<PartitionId>(random_.below(partitions));
  const auto end = cluster_.partition(names().state_topic(), partition).end().value;
  if (end > 0) {
    const auto before = static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(end)));
    cluster_.trim(names().state_topic(), partition, Offset{before});
    ++counts_["foreign trim"];
  }
  cluster_.at(cluster_.now() + seconds(8), [this] { cut_a_log(); });
}

// What retention does: records are removed that were taken long ago, and that a replay may want.
void Simulation::cut_the_past() {
  const auto partitions = static_cast<std::uint64_t>(settings_.queue.partitions);
  const auto partition = static_cast<PartitionId>(random_.below(partitions));
  const auto taken = static_cast<std::uint64_t>(checker_.input_taken(partition).value);
  if (taken > 0) {
    const Offset before{static_cast<std::int64_t>(random_.below(taken))};
    cluster_.trim(names().topic(), partition, before);
    checker_.input_cut(partition, cluster_.partition(names().topic(), partition).start());
    ++counts_["input trimmed"];
  }
  cluster_.at(cluster_.now() + random_.between(seconds(1), seconds(6)), [this] { cut_the_past(); });
}

// What lies in the new queue topic goes on past the state's place: only its id tells.
void Simulation::recreate_topics() {
  constexpr std::int64_t kMore = 20;
  checker_.recreated();
  checker_.say("topics are created again");
  std::vector<std::int64_t> sizes;
  for (PartitionId partition = 0; partition < settings_.queue.partitions; ++partition) {
    sizes.push_back(cluster_.partition(names().topic(), partition).end().value);
  }
  if (settings_.recreates_state) cluster_.recreate(names().state_topic());
  if (settings_.recreates_queue) cluster_.recreate(names().topic());
  for (PartitionId partition = 0;
       settings_.recreates_queue && partition < settings_.queue.partitions; ++partition) {
    const std::int64_t records = sizes[static_cast<std::size_t>(partition)] + kMore;
    for (std::int64_t i = 0; i < records; ++i) {
      const std::string value = R"({"type":"work","id":"new-)" + std::to_string(i) + "\"}";
      cluster_.append(names().topic(), partition,
                      {.key = kNewTopicsAccount, .value = value, .headers = {}});
    }
  }
  ++counts_["topics created again"];
  cluster_.at(cluster_.now() + kRefusedWithin, [this] {
    if (checker_.stopped()) return;
    checker_.rules().check(Rule::kRecreated, false,
                           [] { return "topics were created again, and nobody refuses them"; });
  });
}

void Simulation::stop_old_versions() {
  for (const auto& worker : workers_) {
    if (worker->newest_format() == kOldVersion) worker->stop();
  }
  cluster_.at(cluster_.now() + seconds(1), [this] { finish_upgrade(); });
}

// What `penstock upgrade finish` sends, when every process is of the new version.
void Simulation::finish_upgrade() {
  const bool all_new = std::ranges::all_of(
      workers_, [](const auto& worker) { return worker->newest_format() == kNewVersion; });
  if (!all_new) return stop_old_versions();
  for (const std::string_view queue : {kQueue, std::string_view(kSlotsQueue)}) {
    const std::string key = format_key(queue), value = format_json(kNewVersion);
    cluster_.append(control_topic(kPrefix), 0, {key, value, {}});
  }
  ++counts_["upgrade finished"];
}

bool Simulation::is_done() {
  if (checker_.is_recreated() || !checker_.all_done()) return false;
  if (!std::exchange(deletes_replays_, false)) return true;
  checker_.replays_deleted();
  replays_.remove();
  return false;
}

Report Simulation::run() {
  PoolChecks(settings_.seed, checker_.rules()).run();
  GapChecks(settings_.seed, checker_.rules()).run();
  for (const auto& worker : workers_) worker->start();
  traffic_.start();
  if (settings_.replays) replays_.start();
  deletes_replays_ = settings_.replays && settings_.seed % 2 == 0;
  cluster_.at(Instant(seconds(2)), [this] { audit(); });
  if (settings_.faults) cluster_.at(Instant(seconds(6)), [this] { stop_somebody(); });
  if (settings_.foreign_trims) cluster_.at(Instant(seconds(15)), [this] { cut_a_log(); });
  if (settings_.past_trims) cluster_.at(Instant(seconds(21)), [this] { cut_the_past(); });
  if (settings_.recreates_queue || settings_.recreates_state) {
    cluster_.at(kRecreatedAt, [this] { recreate_topics(); });
  }
  if (settings_.upgrade) cluster_.at(kAllNewFrom, [this] { stop_old_versions(); });
  Instant look = kQuietAt + seconds(2);
  bool done = false;
  while (!done && !checker_.stopped() && !checker_.violation() && cluster_.now() < kEnd &&
         cluster_.step()) {
    if (cluster_.now() < look) continue;
    look = cluster_.now() + seconds(1);
    done = is_done();
  }
  if (!checker_.violation() && !checker_.stopped()) checker_.check_end();
  for (const auto& worker : workers_) checker_.say(worker->describe());
  Report report;
  report.seed = settings_.seed;
  report.violation = checker_.violation();
  report.exercised = checker_.rules().exercised;
  report.faults = cluster_.counts();
  for (const auto& [name, count] : counts_) report.faults[name] += count;
  for (const auto& [name, count] : replays_.counts()) report.faults[name] += count;
  report.ended_at_s = std::chrono::duration<double>(cluster_.now().time_since_epoch()).count();
  report.jobs = checker_.model().jobs().size();
  report.trace = std::move(trace_);
  workers_.clear();
  return report;
}

}  // namespace penstock::simulation
