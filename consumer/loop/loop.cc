#include "consumer/loop/loop.h"

#include <algorithm>
#include <utility>

#include "consumer/task/core/own_headers.h"
#include "topics/partitioner.h"

namespace penstock {

Loop::Loop(LoopOptions options, LogSession& session, LoopHost& host)
    : options_(std::move(options)),
      session_(session),
      host_(host),
      mailbox_([&session] { session.wake(); },
               [&host](const AttemptKey& key) { host.attempt_begun(key); }),
      control_(
          session, session.topic(control_topic(options_.prefix)),
          [this](const std::string& text) { host_.notice(options_.queue.name + ": " + text); }),
      topics_(session),
      parts_{session,
             host,
             leases_,
             mailbox_,
             control_,
             tickets_,
             topics_,
             [this] { renew_outboxes_ = true; },
             [this](const std::string& reason, Now now) { refuse(reason, now); }} {
  const QueueNames names(options_.prefix, options_.queue.name);
  session_.join(topics_.of(names.topic()), names.group());
}

Loop::~Loop() = default;

void Loop::notice(PartitionId partition, const std::string& text) {
  host_.notice(options_.queue.name + "/" + std::to_string(partition) + ": " + text);
}

// Everything that is sound is committed and released, within the grace time of a revoked partition.
void Loop::refuse(const std::string& reason, Now now) {
  if (std::exchange(refused_, true)) return;
  host_.refused(reason);
  stop(now.boot + options_.grace);
}

Tenure* Loop::tenure(PartitionId partition) {
  const auto found = slots_.find(partition);
  return found == slots_.end() ? nullptr : found->second.tenure.get();
}

std::vector<PartitionId> Loop::partitions() const {
  std::vector<PartitionId> partitions;
  for (const auto& [partition, slot] : slots_) partitions.push_back(partition);
  return partitions;
}

bool Loop::all_run() const {
  return assigned_ && std::all_of(slots_.begin(), slots_.end(), [](const auto& entry) {
           const Tenure* const tenure = entry.second.tenure.get();
           return tenure && tenure->runs() && !tenure->restoring();
         });
}

int Loop::running() const {
  std::size_t running = 0;
  for (const auto& [partition, slot] : slots_) {
    if (slot.tenure && slot.tenure->task()) running += slot.tenure->task()->attempts().running();
  }
  return static_cast<int>(running);
}

// -- The pass

void Loop::pass(Now now) {
  if (stopped_) return;
  now_ = now;
  budget_ = StepBudget(options_.bounds);
  leases_.check(now.boot);
  process_killed();
  control_.tick(now);
  drain_mailbox();
  const bool busy = session_.poll(*this);
  renew_if_due();
  claim_one();
  restore_one();
  step_tenures();
  commit_one(busy);
  process_killed();
  reap();
  look_for_trouble();
  if (stop_until_) finish_stop();
}

void Loop::renew_if_due() {
  if (!renew_outboxes_ || now_.boot < renew_not_before_) return;
  if (now_.boot - renewed_at_ >= kRenewalsApart) renew_pause_.reset();
  renewed_at_ = now_.boot;
  renew_not_before_ = now_.boot + renew_pause_.failed();
  renew_outbox_lane();
}

void Loop::look_for_trouble() {
  if (now_.boot < look_for_trouble_at_) return;
  look_for_trouble_at_ = now_.boot + kLookForTroubleEvery;
  undelivered_.begin();
  trouble_.clear();
  for (const auto& [partition, slot] : slots_) {
    if (slot.tenure) undelivered_.add(slot.tenure->outbox());
    const bool runs = slot.tenure && slot.tenure->runs();
    const std::string reason = slot.reclaim.trouble(runs, now_.boot);
    if (trouble_.empty() && !reason.empty())
      trouble_ = options_.queue.name + "/" + std::to_string(partition) + ": " + reason;
  }
  undelivered_.end(
      [this](const std::string& text) { host_.notice(options_.queue.name + ": " + text); });
  if (trouble_.empty() && !undelivered_.topics().empty())
    trouble_ = options_.queue.name + ": " + undelivered_.text();
}

// Nothing that was sent through the old lane will be answered any more.
void Loop::renew_outbox_lane() {
  renew_outboxes_ = false;
  session_.renew(Lane::kOutbox);
  tickets_.forget_lane(Lane::kOutbox);
  for (const auto& [ticket, job] : notices_) host_.notice_appended(job, std::nullopt);
  notices_.clear();
  for (auto& [partition, slot] : slots_) {
    if (slot.tenure) slot.tenure->emit_outbox_again();
  }
}

void Loop::process_killed() {
  for (const AttemptKey& key : leases_.take_killed()) {
    if (Tenure* const at = tenure(key.partition)) at->attempts().on_killed(key, now_);
  }
}

void Loop::drain_mailbox() {
  delivered_ = 0;
  deliver_deferred();
  mailbox_.drain(&messages_, &calls_);
  for (HandlerMessage& message : messages_) deliver(std::move(message));
  for (const LoopMailbox::Call& call : calls_) call(*this);
}

void Loop::deliver(HandlerMessage message) {
  const PartitionId partition =
      std::visit([](const auto& inner) { return inner.key.partition; }, message);
  const auto found = slots_.find(partition);
  if (found == slots_.end() || !found->second.tenure) return;
  Slot& slot = found->second;
  if (slot.deferred.empty() && !slot.tenure->crowded()) {
    slot.tenure->attempts().on_message(std::move(message), now_);
  } else {
    defer(slot, std::move(message));  // its commit is full: later
  }
  start_between_messages();
}

void Loop::defer(Slot& slot, HandlerMessage message) {
  if (const auto* made = std::get_if<ProgressMade>(&message)) {
    slot.deferred_progress.insert_or_assign(made->key.token,
                                            ProgressMade{made->key, made->n, made->total});
  } else {
    slot.deferred.push_back(std::move(message));
  }
}

// To be called before deferred messages are delivered, because they can contain the attempt's end.
void Loop::deliver_progress(Slot& slot) {
  auto& progress = slot.deferred_progress;
  while (!progress.empty() && slot.tenure && !slot.tenure->crowded()) {
    slot.tenure->attempts().on_message(std::move(progress.begin()->second), now_);
    progress.erase(progress.begin());
  }
}

void Loop::deliver_deferred() {
  for (auto& [partition, slot] : slots_) {
    deliver_progress(slot);
    while (!slot.deferred.empty() && slot.tenure && !slot.tenure->crowded()) {
      slot.tenure->attempts().on_message(std::move(slot.deferred.front()), now_);
      slot.deferred.pop_front();
      start_between_messages();
    }
  }
}

void Loop::start_between_messages() {
  if (++delivered_ % kMessagesBeforeStarts == 0) start_ready();
}

void Loop::apply_control() {
  if (!control_.take_changed()) return;
  for (auto& [partition, slot] : slots_) {
    if (slot.tenure) slot.tenure->set_control(now_);
  }
}

// Visits all tenures, beginning at partition `first`.
template <typename Visit>
void Loop::each_tenure_from(PartitionId first, Visit visit) {
  auto at = slots_.lower_bound(first);
  for (std::size_t left = slots_.size(); left > 0; --left, ++at) {
    if (at == slots_.end()) at = slots_.begin();
    if (at->second.tenure) visit(at->first, *at->second.tenure);
  }
}

// One step per pass, however many partitions have just been taken over, so that the others continue
// to work.
void Loop::restore_one() {
  bool done = false;
  each_tenure_from(first_to_restore_, [&](PartitionId partition, Tenure& tenure) {
    if (done || !tenure.restoring() || tenure.leaving()) return;
    tenure.restore_some(now_);
    first_to_restore_ = partition + 1;
    done = true;
  });
}

void Loop::step_tenures() {
  apply_control();
  share_capacity([&](Tenure& tenure, int capacity) { return tenure.step(capacity, now_); });
}

// Building a commit takes as long as processing many outcomes, so outcomes are processed between
// the commits of two partitions. Begins after the partition that committed last.
void Loop::commit_one(bool busy) {
  commit_waits_ = false;
  bool committed = false;
  each_tenure_from(first_to_commit_, [&](PartitionId partition, Tenure& tenure) {
    if (commit_waits_ || !tenure.commits().is_due(busy, now_)) return;
    commit_waits_ = committed;
    if (commit_waits_) return;
    tenure.commits().commit(now_);
    committed = true;
    first_to_commit_ = partition + 1;
  });
}

void Loop::start_ready() {
  share_capacity(
      [&](Tenure& tenure, int capacity) { return tenure.attempts().start_ready(capacity, now_); });
}

bool Loop::wants_places() {
  return std::any_of(slots_.begin(), slots_.end(), [this](const auto& entry) {
    return entry.second.tenure && entry.second.tenure->attempts().has_ready(now_);
  });
}

// Every tenure has the same chance of getting the free places and the rest of the pass: begins
// after the last tenure that used any.
template <typename Step>
void Loop::share_capacity(Step step) {
  const bool may_start = control_.is_read();
  const int offered =
      may_start ? std::max(0, host_.offer_places(running(), options_.concurrency)) : 0;
  int capacity = offered;
  each_tenure_from(first_to_step_, [&](PartitionId partition, Tenure& tenure) {
    const bool was_over = capacity == 0 || budget_.is_spent();
    capacity = step(tenure, capacity);
    if (!was_over && (capacity == 0 || budget_.is_spent())) first_to_step_ = partition + 1;
  });
  if (may_start)
    host_.settle_places(running(), offered - capacity, capacity == 0 && wants_places());
}

void Loop::reap() {
  for (auto at = slots_.begin(); at != slots_.end();) {
    const PartitionId partition = at->first;
    Slot& slot = at->second;
    if (slot.tenure && slot.tenure->ended()) end_slot(partition, slot);
    if (!slot.tenure && (slot.revoked || stop_until_)) {
      if (slot.revoked) session_.finish_revoke(partition);
      at = slots_.erase(at);
      continue;
    }
    // A displaced owner asks the group before it claims again. If the group does not know the
    // member, the log will tell whether another owner has claimed.
    if (!slot.tenure && !slot.claims && !slot.asking && slot.reclaim.is_due(now_.boot)) {
      if (slot.unconfirmed) {
        slot.claims = true;
      } else {
        slot.asking = true;
        session_.check_membership(partition);
      }
    }
    ++at;
  }
}

void Loop::end_slot(PartitionId partition, Slot& slot) {
  // During an outage, claim after claim ends: each reason is logged only once until the partition
  // has worked again.
  if (slot.tenure->task()) slot.told.clear();
  TenureEnd last = slot.tenure->take_end();
  if (last.reason != Tenure::kReleased && std::exchange(slot.told, last.reason) != last.reason) {
    notice(partition, "given up: " + last.reason);
  }
  if (slot.unconfirmed && last.reason == Owner::kTaken) slot.revoked = true;
  past_ += last.counters;
  past_commits_ += last.commits;
  cut_off_ = cut_off_ || last.cut_off;
  last_[partition] = last.tenure;
  slot.tenure.reset();
  slot.deferred.clear();  // their attempts have ended with the tenure
  slot.deferred_progress.clear();
  host_.close_store(partition, std::move(last.store));
  slot.reclaim.given_up(last.reason, now_.boot);
}

// One per pass, because each opens a store.
void Loop::claim_one() {
  for (auto& [partition, slot] : slots_) {
    if (!std::exchange(slot.claims, false)) continue;
    if (slot.tenure || slot.revoked || stop_until_) continue;
    return claim(partition, slot);
  }
}

void Loop::claim(PartitionId partition, Slot& slot) {
  slot.reclaim.claimed(now_.boot);
  auto store = host_.open_store(partition);
  if (!store) return host_.broken(store.error().message);
  TenureOptions options;
  options.task = {options_.prefix,        options_.queue,    partition,
                  options_.instance,      options_.types,    options_.slots_partitions,
                  options_.max_live_jobs, options_.max_flows};
  options.task.bounds = options_.bounds;
  options.task.budget = &budget_;
  options.queue_number = options_.queue_number;
  options.owns_slots = options_.owns_slots;
  options.tenure = next_tenure_++;
  options.nonce = {options_.nonce, options_.nonce + options.tenure};
  options.lease = options_.lease;
  options.last = last_[partition];
  options.only_after_last = slot.unconfirmed;
  options.trim_bytes = options_.trim_bytes;
  slot.tenure = std::make_unique<Tenure>(std::move(options), std::move(*store), parts_);
  slot.tenure->start();
  control_.read_to_end(now_);
}

std::chrono::nanoseconds Loop::idle_for(Now now) {
  if (commit_waits_) return std::chrono::nanoseconds(0);
  std::chrono::nanoseconds idle = std::chrono::milliseconds(200);
  for (const auto& [partition, slot] : slots_) {
    if (slot.claims) return std::chrono::nanoseconds(0);
    if (!slot.tenure) continue;
    const bool has_deferred = !slot.deferred.empty() || !slot.deferred_progress.empty();
    if (has_deferred && !slot.tenure->crowded()) return std::chrono::nanoseconds(0);
    idle = std::min(idle, slot.tenure->idle_for(now));
  }
  return idle;
}

// -- Crash notices

void Loop::send_crash_notice(const InFlight& job) {
  const PartitionId partition = partition_of(job.account, options_.queue.partitions);
  const QueueNames names(options_.prefix, options_.queue.name);
  const HeaderView header{kCrashHeader, "1"};
  const NewRecord record{job.account, job.id, {&header, 1}};
  const Ticket ticket = tickets_.next();
  if (!session_.append(Lane::kOutbox, {topics_.of(names.topic()), partition}, record, ticket)) {
    return notice(partition, "a crash notice is dropped because the buffer is full");
  }
  host_.notice_sent(job);
  notices_.emplace(ticket, job);
}

void Loop::notice_answered(Ticket ticket, const Appended& result) {
  const auto found = notices_.find(ticket);
  if (found == notices_.end()) return;
  host_.notice_appended(found->second, result.error ? std::nullopt : result.offset);
  notices_.erase(found);
}

// -- Stop

void Loop::stop(Instant until) {
  if (stop_until_) return;
  stop_until_ = until;
  for (auto& [partition, slot] : slots_) {
    if (slot.tenure) slot.tenure->leave(until);
  }
}

void Loop::finish_stop() {
  if (!slots_.empty()) return;
  session_.leave();
  stopped_ = true;
}

// -- Events from the log

void Loop::on_records(TopicPartition from, std::span<const LogRecord> records) {
  if (control_.reads(from.topic)) return control_.on_records(records, now_);
  if (Tenure* const at = tenure(from.partition)) at->on_records(from.topic, records, now_);
}

void Loop::on_out_of_range(TopicPartition from, Offset) {
  if (control_.reads(from.topic)) return control_.on_out_of_range(now_);
  if (Tenure* const at = tenure(from.partition)) at->on_out_of_range(from.topic, now_);
}

void Loop::on_truncated(TopicPartition from, Offset position) {
  if (control_.reads(from.topic)) return control_.on_out_of_range(now_);
  if (Tenure* const at = tenure(from.partition)) at->on_truncated(from.topic, position, now_);
}

void Loop::on_bounds(TopicPartition of, const Result<Bounds>& bounds) {
  if (control_.reads(of.topic)) return control_.on_bounds(bounds, now_);
  if (Tenure* const at = tenure(of.partition)) at->on_bounds(of.topic, bounds, now_);
}

void Loop::on_appended(Lane, Ticket ticket, const Appended& result) {
  const auto append = tickets_.take(ticket);
  if (!append) return notice_answered(ticket, result);
  if (Tenure* const at = tenure(append->partition)) at->on_appended(*append, result, now_);
}

void Loop::on_connection(bool connected, std::string_view detail) {
  host_.connection(connected, detail);
  if (!connected) return;
  for (auto& [partition, slot] : slots_) {
    if (!slot.tenure) slot.reclaim.begin_anew(now_.boot);
  }
}

void Loop::on_fatal(std::string_view detail) { refuse(std::string(detail), now_); }

}  // namespace penstock
