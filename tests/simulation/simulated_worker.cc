#include "tests/simulation/simulated_worker.h"

#include <algorithm>
#include <array>

#include "consumer/loop/standby/standby_choice.h"
#include "tests/simulation/checks/batches/batch_checks.h"
#include "tests/simulation/checks/flow/shared_checks.h"
#include "tests/simulation/replay_program.h"
#include "tests/simulation/worker_types.h"

namespace penstock::simulation {

using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

constexpr milliseconds kMercy{80};  // as Watchdog's

}  // namespace

// What the worker's member of the slots group asks for.
class SimulatedWorker::OwnerHost final : public LoopHost {
 public:
  explicit OwnerHost(SimulatedWorker& worker) : worker_(worker) {}

  [[nodiscard]] Result<std::unique_ptr<Store>> open_store(PartitionId partition) override {
    auto store = std::make_unique<MemoryStore>(stores_[partition]);
    open_[partition] = store.get();
    return store;
  }
  void close_store(PartitionId partition, std::unique_ptr<Store> store) override {
    stores_[partition] = static_cast<MemoryStore&>(*store).contents();
    open_.erase(partition);
  }
  [[nodiscard]] Executor* executor(const TypeRuntime&) override { return nullptr; }
  [[nodiscard]] int partitions_of(std::string_view) override { return 0; }
  void notice(const std::string& text) override { worker_.notice(text); }
  void broken(const std::string& reason) override { worker_.broken(reason); }
  void refused(const std::string& reason) override { worker_.broken(reason); }
  void connection(bool, std::string_view) override {}

  // The process is gone; a crash leaves nothing here, which is the hardest.
  void process_ended(bool crashed) {
    for (const auto& [partition, store] : open_) stores_[partition] = store->contents();
    open_.clear();
    if (crashed) stores_.clear();
  }

 private:
  SimulatedWorker& worker_;
  std::map<PartitionId, MemoryStore::Contents> stores_;
  std::map<PartitionId, MemoryStore*> open_;
};

SimulatedWorker::~SimulatedWorker() = default;

SimulatedWorker::SimulatedWorker(const Settings& settings, SimulatedCluster& cluster,
                                 SimulatedHost& host, Checker& checker)
    : settings_(settings),
      cluster_(cluster),
      host_(host),
      checker_(checker),
      executor_(settings, cluster, host, checker.attempts()),
      disk_(settings.seed, host.index(), checker.stores()),
      log_(cluster, host),
      seen_{ReadyChecks(settings, types_, checker.rules())},
      answers_(settings.seed * 43 + host.index()) {
  add_worker_types(types_, settings);
  if (settings.shared) owner_host_ = std::make_unique<OwnerHost>(*this);
  log_.on_ready([this](SimulatedSession&) { turn(); });
  host.set_events({.crashed = [this] { crashed(); },
                   .restarted = [this] { start(); },
                   .paused = [this] { executor_.paused(); },
                   .resumed = [this] { resumed(); }});
}

// While an upgrade is under way, it goes forward and back.
std::uint32_t SimulatedWorker::next_version() const {
  if (!settings_.upgrade) return kNewestFormat;
  if (cluster_.now() >= kAllNewFrom) return kNewVersion;
  return (settings_.seed + host_.index() + process_.number) % 2 == 0 ? kOldVersion : kNewVersion;
}

void SimulatedWorker::start() {
  process_ = {process_.number + 1, next_version(), false};
  LoopOptions options;
  options.prefix = kPrefix;
  options.instance = "w" + std::to_string(host_.index());
  options.client_id =
      client_id_of("worker", std::to_string(host_.index()) + "." + std::to_string(process_.number));
  options.queue = settings_.queue;
  options.types = &types_;
  options.concurrency = settings_.concurrency;
  options.lease.lease = lease();
  options.nonce = (host_.index() << 40) + (process_.number << 20);
  options.grace = milliseconds(1500);
  options.trim_bytes = settings_.trim_bytes;
  options.slots_partitions = kOwnerPartitions;
  options.max_live_jobs = settings_.max_live_jobs;
  options.bounds = settings_.bounds;
  options.max_flows = settings_.max_flows;
  options.newest_format = process_.newest_format;
  SessionOptions session;
  session.client_id = options.client_id;
  if (settings_.in_place) {
    session.instance_id = options.instance;
    disk_.take_lock(cluster_.now());
  }
  session_ = std::move(*log_.open(session));
  notices_ = std::make_unique<CrashNotices>();
  owed_.clear();
  loop_ = std::make_unique<Loop>(std::move(options), *session_, *this);
  if (settings_.shared) start_owner();
  for (const InFlight& job : std::exchange(left_behind_, {})) loop_->send_crash_notice(job);
  turn();
}

// Processes with different leases own a partition one after the other.
std::chrono::nanoseconds SimulatedWorker::lease() const {
  constexpr std::array kLeases = {seconds(5), seconds(3), seconds(8)};
  return kLeases[(settings_.seed + host_.index() + process_.number) % kLeases.size()];
}

void SimulatedWorker::start_owner() {
  LoopOptions options;
  options.prefix = kPrefix;
  options.instance = "w" + std::to_string(host_.index());
  options.queue.name = kSlotsQueue;
  options.queue.partitions = kOwnerPartitions;
  options.lease.lease = lease();
  options.nonce = (host_.index() << 40) + (process_.number << 20) + (1 << 19);
  options.grace = milliseconds(1500);
  options.trim_bytes = settings_.trim_bytes;
  options.owns_slots = true;
  options.bounds = settings_.bounds;
  options.newest_format = process_.newest_format;
  owner_session_ = std::move(*log_.open({}));
  owner_loop_ = std::make_unique<Loop>(std::move(options), *owner_session_, *owner_host_);
}

void SimulatedWorker::turn() {
  if (!loop_) return;
  if (settings_.in_place) disk_.take_lock(cluster_.now());
  loop_->take_posted();
  loop_->pass(host_.now());
  seen_.ready.passed(*loop_, host_.now());
  if (owner_loop_) {
    owner_loop_->take_posted();
    owner_loop_->pass(host_.now());
  }
  watch_leases();
  note_restored();
  if (!loop_->stopped() || (owner_loop_ && !owner_loop_->stopped())) return sleep();
  disk_.keep_open_stores();
  end_process();
  host_.after(milliseconds(800), [this] {
    if (!loop_) start();
  });
}

// The watchdog: what runs on past its lease has a moment to end.
void SimulatedWorker::watch_leases() {
  if (process_.exits || !loop_->leases().check(host_.now().boot)) return;
  process_.exits = true;
  host_.after(kMercy, [this] {
    process_.exits = false;
    if (!loop_ || !loop_->leases().check(host_.now().boot)) return;
    cluster_.at(cluster_.now(), [this] {
      if (!host_.up()) return;
      host_.crash();
      cluster_.at(cluster_.now() + seconds(1), [this] { host_.restart(); });
    });
  });
}

void SimulatedWorker::sleep() {
  const auto owner_idle =
      owner_loop_ ? owner_loop_->idle_for(host_.now()) : std::chrono::nanoseconds(seconds(1));
  const auto idle = std::max<std::chrono::nanoseconds>(
      std::min(loop_->idle_for(host_.now()), owner_idle), milliseconds(1));
  host_.after(idle, [this, sleep = ++sleeps_] {
    if (sleep == sleeps_) turn();
  });
}

void SimulatedWorker::note_restored() {
  for (const PartitionId partition : loop_->partitions()) {
    Tenure* const tenure = loop_->tenure(partition);
    if (!tenure || !tenure->owner().restored()) continue;
    Offset& last = seen_.restored.try_emplace(partition, Offset{-1}).first->second;
    if (last == tenure->owner().epoch()) continue;
    last = tenure->owner().epoch();
    checker_.say("host " + std::to_string(host_.index()) + " has restored p" +
                 std::to_string(partition) + " at its claim @" + std::to_string(last.value));
    checker_.stores().restored(host_.index(), partition, last, disk_.contents(partition));
  }
}

std::string SimulatedWorker::describe() {
  std::string text = "host " + std::to_string(host_.index()) + (loop_ ? "" : " has no process");
  if (!loop_) return text;
  for (const PartitionId partition :
       owner_loop_ ? owner_loop_->partitions() : std::vector<PartitionId>{}) {
    Tenure* const tenure = owner_loop_->tenure(partition);
    text += " owner p" + std::to_string(partition);
    if (!tenure) continue;
    text += " phase " + std::to_string(static_cast<int>(tenure->owner().phase()));
    if (const SlotTask* const slots = tenure->slot_task()) {
      text += " input " + std::to_string(slots->input_next().value) + " of " +
              std::to_string(cluster_.partition(slots_topic(kPrefix), partition).end().value) +
              " ignored " + std::to_string(slots->ignored()) + " outbox " +
              std::to_string(tenure->outbox().pending());
    }
  }
  for (const PartitionId partition : loop_->partitions()) {
    Tenure* const tenure = loop_->tenure(partition);
    text += " p" + std::to_string(partition);
    if (!tenure) continue;
    text += " phase " + std::to_string(static_cast<int>(tenure->owner().phase())) + " seq " +
            std::to_string(tenure->owner().commits().seq()) + " in flight " +
            std::to_string(tenure->owner().commits().size());
    if (Task* const task = tenure->task()) {
      text += " input " + std::to_string(task->input_next().value) + " wants " +
              std::to_string(task->wants_input()) + " running " +
              std::to_string(task->attempts().running()) + " outbox " +
              std::to_string(tenure->outbox().pending());
      task->queries().each_job(host_.now(), [&](const JobInfo& info) {
        if (!info.why.empty())
          text += "\n    " + info.row.account + "/" + info.row.id + " " + info.why;
        return true;
      });
    }
  }
  return text;
}

void SimulatedWorker::stop() {
  if (!loop_ || !host_.up()) return;
  host_.run([this] {
    if (!loop_) return;
    checker_.say("host " + std::to_string(host_.index()) + " is told to stop");
    loop_->stop(host_.now().boot + milliseconds(1500));
    if (owner_loop_) owner_loop_->stop(host_.now().boot + milliseconds(1500));
    turn();
  });
}

void SimulatedWorker::end_process() {
  process_.exits = false;
  seen_.ready.forget();
  executor_.process_ended();
  if (owner_host_) owner_host_->process_ended(false);
  loop_.reset();
  owner_loop_.reset();
  session_.reset();
  owner_session_.reset();
  disk_.process_ended();
  ++sleeps_;
}

void SimulatedWorker::crashed() {
  checker_.say("host " + std::to_string(host_.index()) + " has crashed");
  left_behind_ = executor_.in_flight();
  if (settings_.in_place && loop_ && answers_.chance(0.4)) outlive_process();
  end_process();
  if (owner_host_) owner_host_->process_ended(true);
  disk_.crashed();
}

// What the process has started outlives it for a while, but never its lease: that is what others
// wait for. As long as it does, it holds the lock of the state directory.
void SimulatedWorker::outlive_process() {
  static constexpr milliseconds kShortest{10}, kLongest{2500}, kMargin{100};
  executor_.outlive([this](const AttemptKey& key) -> std::optional<Instant> {
    Tenure* const tenure = loop_->tenure(key.partition);
    if (!tenure || tenure->owner().epoch().value != key.token.epoch) return std::nullopt;
    const auto left = tenure->owner().lease_until() - host_.now().boot - kMargin;
    const auto takes =
        std::min<std::chrono::nanoseconds>(left, answers_.between(kShortest, kLongest));
    if (takes < kShortest) return std::nullopt;
    disk_.hold_lock(cluster_.now() + takes);
    return cluster_.now() + takes;
  });
}

// The watchdog comes first after a pause.
void SimulatedWorker::resumed() {
  checker_.say("host " + std::to_string(host_.index()) + " goes on");
  if (loop_) loop_->leases().check(host_.now().boot);
  executor_.resumed();
}

Result<std::unique_ptr<Store>> SimulatedWorker::open_store(PartitionId partition) {
  return disk_.open(partition);
}

void SimulatedWorker::close_store(PartitionId partition, std::unique_ptr<Store>) {
  if (Status status = disk_.close(partition); !status) broken(status.error().message);
}

void SimulatedWorker::notice_sent(const InFlight& job) {
  notices_->sent(job);
  owed_[job] = std::nullopt;
}

void SimulatedWorker::notice_appended(const InFlight& job, std::optional<Offset> at) {
  notices_->appended(job, at);
  owed_[job] = at;
  if (!at) owed_.erase(job);
}

// What the process before this one left behind has been read of by whoever starts it.
void SimulatedWorker::attempt_started(const AttemptRequest& request) {
  const Offset next = loop_->tenure(request.key.partition)->task()->input_next();
  checker_.attempts().started_having_read(request, next, host_.now());
  checker_.attempts().started_knowing(request, loop_->control());
  for (const std::string& id : ids_of(request)) {
    const auto owed = owed_.find({request.queue, request.account, id});
    if (owed == owed_.end()) continue;
    const bool read = owed->second && *owed->second < next;
    checker_.rules().check(Rule::kDeaths, read, [&] {
      return "host " + std::to_string(host_.index()) + " starts " + request.account + "/" + id +
             " again before it has read of the death before";
    });
  }
}

// Late, and out of turn. What the process asked for ends with it.
void SimulatedWorker::ask_program(const std::vector<std::string>& program, std::string line,
                                  const ProgramAnswer& answer) {
  checker_.programs().asked(program, line);
  const bool is_slow = answers_.chance(0.1) && cluster_.now() < kFaultsEnd;
  const auto takes = answers_.between(milliseconds(1), milliseconds(is_slow ? 3000 : 100));
  const bool fails =
      settings_.programs_fail && cluster_.now() < kFaultsEnd && answers_.chance(0.01);
  host_.after(takes,
              [this, program, line = std::move(line), answer, fails, process = process_.number] {
                if (!loop_ || process != process_.number) return;
                if (fails) return answer(failure("it has failed"));
                checker_.programs().answered(program, line);
                answer(answer_to(nlohmann::json::parse(line)).dump());
              });
}

void SimulatedWorker::notice(const std::string& text) {
  checker_.say("host " + std::to_string(host_.index()) + ": " + text);
  if (text.find(": given up: ") != std::string::npos) checker_.given_up(host_.index(), text);
}

void SimulatedWorker::broken(const std::string& reason) { checker_.broken(host_.index(), reason); }

}  // namespace penstock::simulation
