#include "consumer/worker/runtime.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <random>
#include <utility>

#include "consumer/handlers/process/open_files.h"
#include "consumer/loop/standby/standby_choice.h"
#include "consumer/worker/failure_log.h"
#include "consumer/worker/in_place/boot.h"
#include "consumer/worker/in_place/kept_tenures.h"
#include "consumer/worker/journal.h"
#include "consumer/worker/loop_thread.h"
#include "consumer/worker/places.h"
#include "consumer/worker/topics_at_start.h"
#include "consumer/worker/watchdog.h"
#include "state/store/rocks/rocks_store.h"
#include "topics/values/printable.h"

namespace penstock {
namespace {

constexpr std::chrono::milliseconds kConnectRetry{1000};
constexpr std::chrono::milliseconds kLookEvery{20};
constexpr std::chrono::milliseconds kLookAtStopEvery{10};
constexpr int kHandlersIgnoredTheLease = 70;

std::uint64_t random_number() {
  std::random_device device;
  return (static_cast<std::uint64_t>(device()) << 32) | device();
}

}  // namespace

// One queue's loops and what they share.
class Runtime::Queue {
 public:
  Queue(QueuePolicy policy, std::size_t number)
      : policy(std::move(policy)), number(static_cast<std::uint32_t>(number)) {}

  QueuePolicy policy;
  std::uint32_t number;  // within the process
  TypeTable types;
  std::vector<std::unique_ptr<Host>> hosts;
  std::vector<std::unique_ptr<LoopThread>> threads;
  std::size_t places = 0;     // its index in Places
  bool told_to_stop = false;  // it stops alone, because it cannot continue
  bool came_late = false;     // its loop was made while the others ran, who do not wait for it

  [[nodiscard]] bool owns_slots() const { return policy.name == kSlotsQueue; }
};

// One loop's requests to the process.
class Runtime::Host final : public LoopHost {
 public:
  Host(Runtime& runtime, Queue& queue, std::size_t number)
      : runtime_(runtime),
        queue_(queue),
        topic_(QueueNames(runtime.options_.config.prefix, queue.policy.name).topic()),
        number_(number) {}

  [[nodiscard]] Result<std::unique_ptr<Store>> open_store(PartitionId partition) override {
    if (!runtime_.open_stores_.open(topic_, partition, number_)) return nullptr;
    return runtime_.rocks_->partition(topic_, partition);
  }
  void close_store(PartitionId partition, std::unique_ptr<Store> store) override {
    store.reset();
    runtime_.open_stores_.close(topic_, partition);
  }
  [[nodiscard]] bool is_store_wanted(PartitionId partition) override {
    return runtime_.open_stores_.is_wanted(topic_, partition);
  }
  [[nodiscard]] Executor* executor(const TypeRuntime& type) override {
    return runtime_.executors_.find(queue_.policy.name, type.name);
  }
  void ask_program(const std::vector<std::string>& argv, std::string line,
                   const ProgramAnswer& answer) override {
    runtime_.executors_.ask_program(argv, std::move(line), answer);
  }
  void shares_limit() override { runtime_.wants_slots_ = true; }
  [[nodiscard]] int partitions_of(std::string_view queue) override {
    const QueuePolicy* const policy = runtime_.options_.config.queue(queue);
    return policy ? policy->partitions : 0;
  }
  [[nodiscard]] int offer_places(int running, int own) override {
    return places_ ? runtime_.places_->offer(*places_, running) : own - running;
  }
  void settle_places(int running, int started, bool wants) override {
    if (places_) runtime_.places_->settle(*places_, running, started, wants);
  }
  void take_part(std::size_t places) { places_ = places; }
  [[nodiscard]] LastTenure left_tenure(PartitionId partition) override {
    return runtime_.tenures_->left(topic_, partition);
  }
  void keep_tenure(PartitionId partition, const LastTenure& tenure) override {
    runtime_.tenures_->keep(topic_, partition, tenure);
  }
  void attempt_started(const AttemptRequest& request) override {
    if (request.items.empty()) {
      return runtime_.journal_->started(number_, request.key,
                                        {request.queue, request.account, request.id});
    }
    for (const AttemptItem& item : request.items) {
      runtime_.journal_->started(number_, request.key, {request.queue, request.account, item.id});
    }
  }
  void attempt_begun(const AttemptKey& key) override { runtime_.journal_->begun(number_, key); }
  void attempt_ended(const AttemptKey& key) override { runtime_.journal_->ended(number_, key); }
  [[nodiscard]] bool may_run_suspect(const AttemptKey& key) override {
    return runtime_.journal_->hold_suspect(number_, key);
  }
  void notice_sent(const InFlight& job) override { runtime_.notices_.sent(job); }
  void notice_appended(const InFlight& job, std::optional<Offset> at) override {
    runtime_.notices_.appended(job, at);
  }
  [[nodiscard]] bool awaits_notice(std::string_view account, std::string_view id, Offset input_next,
                                   Offset counted) override {
    return runtime_.notices_.awaited(queue_.policy.name, account, id, input_next, counted);
  }
  void attempt_failed(const FailedAttempt& failed) override {
    if (!runtime_.options_.reports_failed_attempts) return;
    runtime_.failures_->failed(failed, Clock::boot());
  }
  void notice(const std::string& text) override { runtime_.sink_("warning", text); }
  void broken(const std::string& reason) override { runtime_.state_.broken(reason); }
  void refused(const std::string& reason) override {
    runtime_.refusals_.add(queue_.policy.name, reason);
  }
  void connection(bool connected, std::string_view detail) override {
    runtime_.connection(connected, detail);
  }

 private:
  Runtime& runtime_;
  Queue& queue_;
  const std::string topic_;
  std::size_t number_;
  // Its index in Places; the loop of the slots topic has none, because it has no attempts.
  std::optional<std::size_t> places_;
};

Runtime::Runtime(RuntimeOptions options, std::unique_ptr<Log> log, Sink sink)
    : options_(std::move(options)),
      process_(std::to_string(random_number())),
      log_(std::move(log)),
      sink_(std::move(sink)),
      failures_(std::make_unique<FailureLog>(
          [this](const std::string& line) { sink_("warning", line); })),
      executors_([this](std::string_view line) { sink_("info", std::string(line)); }) {}

Runtime::~Runtime() {
  watchdog_.reset();
  for (const auto& queue : queues_) {
    for (const auto& thread : queue->threads)
      thread->abandon();  // all of them before any is destroyed, because they wake each other
  }
  for (const auto& queue : queues_) queue->threads.clear();
}

// -- Opening

Status Runtime::open() {
  if (Status status = check_options(options_); !status) return status;
  raise_open_file_limit();
  std::string notice;
  std::size_t partitions = 0;
  for (const QueuePolicy& queue : options_.config.queues)
    partitions += static_cast<std::size_t>(queue.partitions);
  auto rocks = open_rocks(
      {.directory = options_.config.state_dir + "/rows", .partitions = partitions}, &notice);
  if (!rocks) return tl::unexpected(rocks.error());
  rocks_ = std::move(*rocks);
  if (!notice.empty()) sink_("warning", notice);
  auto tenures = KeptTenures::open(options_.config.state_dir, read_boot());
  if (!tenures) return tl::unexpected(tenures.error());
  tenures_ = std::move(*tenures);
  executors_.hold_file(tenures_->lock_file());  // before there are any
  auto journal = Journal::open(options_.config.state_dir + "/journal", &crashed_);
  if (!journal) return tl::unexpected(journal.error());
  journal_ = std::move(*journal);
  if (!options_.functions.empty()) {
    executors_.add_functions(static_cast<std::size_t>(options_.handler_threads),
                             options_.functions);
  }
  for (const QueuePolicy& policy : options_.config.queues) {
    const auto& wanted = options_.queues;
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), policy.name) == wanted.end())
      continue;
    if (Status status = add_queue(policy); !status) return status;
  }
  if (queues_.empty()) return failure("no queue to work on: name one in the config's \"queues\"");
  wants_slots_ = shares_limits();
  QueuePolicy slots;
  slots.name = kSlotsQueue;
  slots.partitions = kSlotsPartitions;
  // Whoever waits for a slot of a dead worker waits no longer than for its partitions.
  for (const auto& queue : queues_) slots.lease = std::min(slots.lease, queue->policy.lease);
  queues_.push_back(std::make_unique<Queue>(std::move(slots), queues_.size()));
  return {};
}

// Every worker with a shared limit in its config helps to own them, whichever queues it runs.
bool Runtime::shares_limits() const {
  for (const QueuePolicy& queue : options_.config.queues) {
    for (const auto& [name, type] : queue.types) {
      for (const LimitPolicy& limit : type.limits) {
        if (!limit.is_local()) return true;
      }
    }
  }
  return false;
}

Status Runtime::add_queue(const QueuePolicy& policy) {
  auto queue = std::make_unique<Queue>(policy, queues_.size());
  auto types = policy.types;
  for (const auto& [type, extra] : options_.extra_types) types[type].handler = extra.handler;
  for (const auto& [type, function] : options_.functions) types.try_emplace(type);
  for (const auto& [type, type_policy] : types) {
    const bool function = options_.functions.contains(type);
    if (!function && !type_policy.handler) continue;
    queue->types.add(type, type_policy);
    if (function) continue;
    if (Status status = executors_.add(policy.name, type, *type_policy.handler); !status)
      return status;
  }
  queues_.push_back(std::move(queue));
  return {};
}

int Runtime::run(const std::function<void()>& ready) {
  tenures_->take_patiently([this] { return state_.wait(kLookAtStopEvery); }, sink_);
  if (prepare()) wait_for_end(ready);
  return finish();
}

// Waits for the brokers and refuses topics that endanger their contents. False: do not start.
bool Runtime::prepare() {
  TopicsAtStart topics(*log_, options_.config.prefix);
  for (bool said = false; state_.wait(std::chrono::milliseconds(0));) {
    Status status;
    for (const auto& queue : queues_) {
      if (queue->owns_slots()) continue;  // checked with every queue
      if (status = check_topics_of(queue->policy, topics); !status) break;
    }
    if (status) status = start_loops();
    if (status) return true;
    if (!state_.waits_for(status.error().message)) return false;
    if (!said) sink_("warning", status.error().message + "; keeps trying");
    said = true;
    if (!state_.wait(kConnectRetry)) return false;
  }
  return false;
}

Status Runtime::check_topics_of(const QueuePolicy& policy, TopicsAtStart& topics) {
  const auto wrong = topics.check(policy);
  if (!wrong) return tl::unexpected(wrong.error());
  if (wrong->empty()) return {};
  for (const Deviation& deviation : *wrong) sink_("error", to_string(deviation));
  state_.broken("the topics of queue \"" + policy.name +
                "\" are not configured correctly: see above");
  return failure("the topics are not configured correctly");
}

Status Runtime::start_loops() {
  for (const auto& queue : queues_) {  // left by an attempt that failed halfway
    queue->threads.clear();
    queue->hosts.clear();
  }
  make_places();
  std::vector<LeaseWatch*> leases;
  std::size_t number = 0;
  for (const auto& queue : queues_) {
    const int loops = queue->owns_slots() ? (wants_slots_ ? 1 : 0) : options_.threads;
    for (int i = 0; i < loops; ++i, ++number) {
      if (Status made = make_loop(*queue, i, number); !made) return made;
      leases.push_back(&queue->threads.back()->loop().leases());
    }
  }
  report_crashes();
  watchdog_ = std::make_unique<Watchdog>(leases, [] {
    std::fputs("penstock: a handler ignored the end of its lease: the process exits\n", stderr);
    ::_exit(kHandlersIgnoredTheLease);
  });
  for (const auto& queue : queues_) {
    for (const auto& thread : queue->threads) thread->start();
  }
  state_.loops_made();
  return {};
}

// In the order of the command line if it names queues, otherwise in that of the config file.
void Runtime::make_places() {
  places_ = std::make_unique<Places>(options_.concurrency, options_.strict);
  const auto add = [this](Queue& queue) {
    const auto share = options_.shares.find(queue.policy.name);
    const QueueShare of = share == options_.shares.end() ? QueueShare{} : share->second;
    queue.places = places_->add_queue(of.weight, of.concurrency);
  };
  for (const std::string& name : options_.queues) {
    for (const auto& queue : queues_) {
      if (queue->policy.name == name) add(*queue);
    }
  }
  for (const auto& queue : queues_) {
    if (options_.queues.empty() && !queue->owns_slots()) add(*queue);
  }
}

Status Runtime::make_loop(Queue& queue, int number_in_queue, std::size_t number) {
  SessionOptions session_options;
  const std::string suffix = "-" + std::to_string(number_in_queue);
  session_options.client_id = "penstock-" + queue.policy.name + suffix;
  if (queue.policy.standbys > 0)
    session_options.client_id = client_id_of(session_options.client_id, process_);
  if (!options_.instance.empty()) session_options.instance_id = options_.instance + suffix;
  const LeaseRules lease = options_.lease.value_or(LeaseRules{.lease = queue.policy.lease});
  session_options.lease = lease.in_claim();
  auto session = log_->open(session_options);
  if (!session) return tl::unexpected(session.error());
  LoopOptions loop;
  loop.prefix = options_.config.prefix;
  loop.instance = options_.instance;
  loop.client_id = session_options.client_id;
  loop.queue = queue.policy;
  loop.queue_number = queue.number;
  loop.types = &queue.types;
  loop.owns_slots = queue.owns_slots();
  loop.concurrency = options_.concurrency;
  loop.lease = lease;
  loop.nonce = random_number();
  loop.grace = options_.grace;
  queue.hosts.push_back(std::make_unique<Host>(*this, queue, number));
  queue.threads.push_back(std::make_unique<LoopThread>(std::move(loop), std::move(*session),
                                                       *queue.hosts.back(), clock_));
  if (queue.owns_slots()) return {};
  LoopMailbox& mailbox = queue.threads.back()->loop().mailbox();
  queue.hosts.back()->take_part(places_->add_loop(queue.places, [&mailbox] { mailbox.wake(); }));
  return {};
}

// The first replay with a concurrency brings the first shared limit. The watchdog need not know of
// the loop, because no attempts are its own.
void Runtime::start_slots_if_wanted() {
  Queue& slots = *queues_.back();
  if (!wants_slots_ || !slots.threads.empty()) return;
  std::size_t number = 0;
  for (const auto& queue : queues_) number += queue->threads.size();
  slots.came_late = true;
  if (const Status made = make_loop(slots, 0, number); !made) {
    sink_("warning", "the slots of shared limits have no owner here: " + made.error().message);
    wants_slots_ = false;  // until a loop says so again
    return;
  }
  slots.threads.back()->start();
}

// Tells the partitions what was in flight when the previous process crashed.
void Runtime::report_crashes() {
  for (const InFlight& job : crashed_) {
    for (const auto& queue : queues_) {
      if (queue->policy.name != job.queue) continue;
      sink_("warning", "job " + quoted_text(job.id) + " of account " + quoted_text(job.account) +
                           " was in flight when the previous process crashed here");
      queue->threads.front()->loop().send_crash_notice(job);
    }
  }
  crashed_.clear();
}

void Runtime::wait_for_end(const std::function<void()>& ready) {
  for (bool said = false; state_.wait(kLookEvery);) {
    failures_->report_rest(Clock::boot());
    (void)tenures_->take();  // late, it helps the next process
    stop_refused();
    if (!any_queue_left()) return;
    start_slots_if_wanted();
    bool all = true;
    std::string trouble;
    for (const auto& queue : queues_) {
      if (queue->told_to_stop) continue;
      for (const auto& thread : queue->threads) {
        all = all && (thread->all_run() || queue->came_late);
        if (trouble.empty()) trouble = thread->trouble();
      }
    }
    state_.looked(all, std::move(trouble));
    if (all && !said) {
      said = true;
      ready();
    }
  }
}

// Everything of a queue that is sound is committed and released, within the grace time.
void Runtime::stop_refused() {
  for (const auto& queue : queues_) {
    const std::string reason = refusals_.reason_of(queue->policy.name);
    if (reason.empty() || std::exchange(queue->told_to_stop, true)) continue;
    sink_("error", "the queue \"" + queue->policy.name + "\" stops by itself: " + reason);
    for (const auto& thread : queue->threads) thread->stop(Clock::boot() + options_.grace);
  }
}

// The slots topic does not count, because it does no work of its own.
bool Runtime::any_queue_left() const {
  return std::any_of(queues_.begin(), queues_.end(), [](const auto& queue) {
    return !queue->owns_slots() && !queue->told_to_stop;
  });
}

int Runtime::finish() {
  state_.stopping();
  if (const std::string reason = state_.why_broken(); !reason.empty()) return give_up(reason);
  const bool in_time = stop_loops();
  if (const std::string reason = state_.why_broken(); !reason.empty()) return give_up(reason);
  say_what_was_done();
  return in_time && refusals_.text().empty() ? 0 : 1;
}

// Ends running attempts, for this reason. Returns the exit status.
int Runtime::give_up(const std::string& reason) {
  sink_("error", reason);
  for (const auto& queue : queues_) {
    for (const auto& thread : queue->threads) {
      thread->abandon();
      for (const PartitionId partition : thread->loop().partitions()) {
        thread->loop().leases().kill_all(partition);
      }
    }
  }
  return 1;
}

// Whether all loops have stopped within the grace time, with nothing cut off.
bool Runtime::stop_loops() {
  const Instant until = Clock::boot() + options_.grace;
  bool cut_off = false;
  for (const auto& queue : queues_) {
    for (const auto& thread : queue->threads) thread->stop(until);
  }
  // Releasing takes one or two commits after the last attempt.
  const Instant at_last = until + std::chrono::seconds(10);
  bool goes_on = state_.why_broken().empty();
  for (const auto& queue : queues_) {
    for (const auto& thread : queue->threads) {
      while (!thread->stopped() && Clock::boot() < at_last && goes_on) {
        goes_on = state_.wait_stopping(kLookAtStopEvery);
      }
      cut_off = cut_off || !thread->stopped() || thread->cut_off();
    }
  }
  return !cut_off;
}

void Runtime::say_what_was_done() {
  failures_->report_rest(Instant::max());
  for (const auto& queue : queues_) {
    if (queue->owns_slots()) continue;
    TaskCounters total;
    for (const auto& thread : queue->threads) {
      if (thread->stopped()) total += thread->loop().past_counters();
    }
    sink_("info", queue->policy.name + ": " + summary_of(total));
  }
}

// -- Reports of the loops

void Runtime::connection(bool connected, std::string_view detail) {
  if (state_.set_connected(connected)) sink_(connected ? "info" : "warning", std::string(detail));
}

std::string Runtime::not_ready() const {
  const std::string stopped = refusals_.text();
  return stopped.empty() ? state_.not_ready() : stopped;
}

std::vector<Runtime::QueueLoops> Runtime::loops() const {
  const bool has_loops = state_.has_loops();
  std::vector<QueueLoops> all;
  for (const auto& queue : queues_) {
    if (queue->owns_slots()) continue;
    QueueLoops entry{queue->policy, {}, refusals_.reason_of(queue->policy.name)};
    if (!has_loops || !entry.refusal.empty()) {  // its loops do not answer any more
      all.push_back(std::move(entry));
      continue;
    }
    for (const auto& thread : queue->threads) entry.loops.push_back(&thread->loop());
    all.push_back(std::move(entry));
  }
  return all;
}

}  // namespace penstock
