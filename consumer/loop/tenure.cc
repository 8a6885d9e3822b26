#include "consumer/loop/tenure.h"

#include <algorithm>
#include <utility>

#include "consumer/loop/input_topic.h"
#include "state/rows/keys.h"
#include "topics/planted.h"
#include "topics/values/check.h"
#include "topics/values/rfc3339.h"

namespace penstock {

Tenure::Tenure(TenureOptions options, std::unique_ptr<Store> store, TenureServices& services)
    : options_(std::move(options)),
      services_(services),
      store_(std::move(store)),
      view_(*store_),
      outbox_(view_, *this),
      owner_(*store_, *this,
             {options_.task.instance, options_.nonce, options_.lease, options_.last,
              options_.only_after_last}) {
  state_topic_ = services_.topic(names().state_topic());
  input_topic_ = services_.topic(names().topic());
}

Tenure::~Tenure() = default;

void Tenure::start() { owner_.start(); }

AttemptKey Tenure::key(const Token& token) const {
  return {options_.queue_number, options_.task.partition, token};
}

LastTenure Tenure::tenure() const {
  // Before its restore had ended it did not know how long it had to wait.
  return owner_.wait_until() != Instant{} ? owner_.tenure() : options_.last;
}

// -- What the owner asks for

void Tenure::ask_state_bounds() { services_.session().bounds(state()); }
void Tenure::read_state(Offset from) { services_.session().read(state(), from); }
void Tenure::stop_reading_state() { services_.session().stop_reading(state()); }

bool Tenure::append_state(std::uint64_t number, std::string_view record) {
  const NewRecord out{std::nullopt, record, {}};
  const Ticket ticket = services_.ticket(options_.task.partition, options_.tenure, number);
  if (!services_.session().append(Lane::kState, state(), out, ticket)) {
    services_.forget_ticket(ticket);
    return false;
  }
  log_size_.appended(record.size());
  return true;
}

void Tenure::delete_state_before(Offset before) {
  services_.session().delete_records(state(), before);
}

void Tenure::restored() {
  if (const Status status =
          Task::check_state(view_, options_.task.queue, options_.task.newest_format);
      !status) {
    services_.refused(status.error().message);
    return owner_.drop(status.error().message);
  }
  log_size_.restored(view_, owner_.bytes_restored());
  outbox_.begin_restore(names().topic() + "/" + std::to_string(options_.task.partition) + "@" +
                        std::to_string(owner_.generation()));
  outbox_from_.emplace();
  make_task();
  task_->restored(owner_.generation(), owner_.epoch(), owner_.seq(), now_);
  counted_input_ = task_->input_next();
  task_->set_control(&services_.control(), now_);
  // The claim counts: attempts may start before a commit has renewed the lease that the watchdog
  // knows.
  renew_lease();
  find_input();
}

// The outbox first: what the task sends comes behind what earlier owners have sent.
void Tenure::restore_some(Now now) {
  now_ = now;
  if (!outbox_from_) return task_->restore_some(now);
  const std::size_t most = options_.task.bounds.restored_rows;
  if (!outbox_.restore_some(*outbox_from_, most)) outbox_from_.reset();
}

void Tenure::make_task() {
  if (options_.owns_slots) {
    auto slots =
        std::make_unique<SlotTask>(options_.task.prefix, options_.task.partition, view_, outbox_,
                                   options_.task.bounds, options_.task.newest_format);
    slots_ = slots.get();
    task_ = std::move(slots);
  } else {
    auto jobs = std::make_unique<Task>(options_.task, view_, outbox_, *this);
    jobs_ = jobs.get();
    task_ = std::move(jobs);
  }
}

void Tenure::set_control(Now now) {
  if (task_) task_->set_control(&services_.control(), now);
}

TaskCounters Tenure::counters() const {
  return jobs_ ? counted_counters_.recorded_of(jobs_->counters()) : TaskCounters{};
}

void Tenure::renew_lease() {
  services_.leases().renew(options_.task.partition, owner_.lease_until(), owner_.since());
}

void Tenure::counted(std::uint64_t seq) {
  if (refusal_) {
    services_.refused(*refusal_);
    return owner_.drop("refused: " + *refusal_);
  }
  ++commits_;
  view_.applied(seq);
  outbox_.counted(seq);
  renew_lease();
  while (!sent_.empty() && sent_.front().seq <= seq) {
    offset_to_commit_ = counted_input_ = sent_.front().input;
    counted_counters_ = sent_.front().counters;
    sent_.pop_front();
  }
  if (sweep_ && sweep_->last_seq() == seq) {
    delete_state_before(planted(Bug::kCutOneFurther) ? sweep_->start().next() : sweep_->start());
    sweep_.reset();
    log_size_.cut(store_->approximate_bytes());
  }
}

void Tenure::released() {
  end_reason_ = kReleased;
  stop_input();
}

void Tenure::dropped(const std::string& reason) {
  end_reason_ = reason;
  stop_input();
  end_attempts();
}

void Tenure::broken(const std::string& reason) {
  services_.broken(reason);
  owner_.drop(reason);
}

void Tenure::refused(const std::string& reason) {
  services_.refused("the state topic " + names().state_topic() + ", partition " +
                    std::to_string(options_.task.partition) + ", " + reason);
}

// Attempts of a tenure that is over have nobody to report to.
void Tenure::end_attempts() {
  services_.leases().kill_all(options_.task.partition);
  if (jobs_) {
    for (const Token& token : jobs_->attempts().tokens()) services_.attempt_ended(key(token));
  }
  executors_.clear();
}

// -- Input

// The truth is the position in the state. Where there is none the group must have none either: that
// of a lost state would mean that jobs have been done which nobody remembers.
void Tenure::find_input() {
  std::string position;
  if (!view_.get(keys::kMetaInputNext, &position)) {
    asked_group_offset_ = true;
    return services_.session().group_offset(options_.task.partition);
  }
  placed_ = asked_input_bounds_ = true;
  services_.session().bounds(input());
}

void Tenure::on_group_offset(const Result<std::optional<Offset>>& offset, Now now) {
  now_ = now;
  if (!std::exchange(asked_group_offset_, false) || !task_ || ended() || leaving()) return;
  if (!offset) return owner_.drop(offset.error().message);
  if (*offset && (*offset)->value > 0) {
    refusal_ = lost_state(names(), **offset);
    // A later owner may have committed it, of whom we have not heard yet: only if a commit that is
    // sent from now on counts was there none. It has no rows, so that the next process asks again.
    (void)owner_.commit(Batch{}.bytes(), now);
    return;
  }
  placed_ = asked_input_bounds_ = true;
  services_.session().bounds(input());
}

void Tenure::read_input() {
  reading_input_ = true;
  services_.session().read(input(), task_->input_next());
}

void Tenure::stop_input() {
  if (reading_input_) services_.session().stop_reading(input());
  reading_input_ = false;
}

void Tenure::on_bounds(TopicId topic, const Result<Bounds>& bounds, Now now) {
  now_ = now;
  if (topic == state_topic_) return owner_.bounds(bounds, now);
  if (!asked_input_bounds_ || !task_ || ended() || leaving()) return;
  if (!bounds) {
    ask_input_bounds_at_ = now.boot + kAskBoundsAgain;
    return;
  }
  const Offset next = task_->input_next();
  const Status same = check_input_topic(view_, names(), next, *bounds);
  if (!same && ++bad_bounds_ < kMaxBadBounds) {
    return services_.session().bounds(input());  // it may be the late answer to an earlier tenure
  }
  asked_input_bounds_ = false;
  if (!same) return services_.refused(same.error().message);
  note_input_topic(view_, bounds->topic);
  if (next < bounds->start) {
    if (next.value > 0) {
      services_.notice(
          options_.task.partition,
          std::to_string(bounds->start.value - next.value) +
              " records were removed by retention before they were taken: they are lost");
    }
    task_->skip_to(bounds->start);
  }
  read_input();
}

void Tenure::on_records(TopicId topic, std::span<const LogRecord> records, Now now) {
  now_ = now;
  if (topic == state_topic_) return owner_.records(records, now);
  if (!reading_input_ || !task_ || ended() || leaving() || reread_) return;
  if (!owner_.waits_for_room()) task_->admit(records, now);
  for (const std::string& text : task_->arrivals().take_notices())
    services_.notice(options_.task.partition, text);
  if (!records.empty() && task_->input_next() <= records.back().offset) reread_ = true;
}

void Tenure::on_out_of_range(TopicId topic, Now now) {
  now_ = now;
  if (topic == state_topic_) return owner_.out_of_range(now);
  if (!reading_input_ || ended()) return;
  reading_input_ = false;
  asked_input_bounds_ = true;
  services_.session().bounds(input());
}

// The state's place lies within the log again, or will: to read on there would pass over what has
// taken the places of the records that are gone.
void Tenure::on_truncated(TopicId topic, Offset position, Now now) {
  if (topic == state_topic_ || !reading_input_ || ended()) return on_out_of_range(topic, now);
  now_ = now;
  reading_input_ = false;
  services_.refused(truncated_input(names(), options_.task.partition, position));
}

// -- Answers of the log

void Tenure::on_state_appended(std::uint64_t number, const Appended& result, Now now) {
  now_ = now;
  if (number >= kOutboxNumbers) return on_outbox_appended(number - kOutboxNumbers, result);
  owner_.appended(number, result, now);
}

void Tenure::on_outbox_appended(std::uint64_t number, const Appended& result) {
  if (!ended()) outbox_.appended(number, result);
}

bool Tenure::append_outbox(std::uint64_t number, const Destination& to, const NewRecord& record) {
  const Ticket ticket =
      services_.ticket(options_.task.partition, options_.tenure, kOutboxNumbers + number);
  const TopicPartition where{services_.topic(to.topic), to.partition};
  if (services_.session().append(Lane::kOutbox, where, record, ticket)) return true;
  services_.forget_ticket(ticket);
  return false;
}

void Tenure::emit_outbox_again() {
  if (!ended()) outbox_.emit_again();
}

// -- The step

bool Tenure::may_start(Now now) const {
  return !ended() && jobs_ && !leaving() && owner_.may_start(now) && !owner_.waits_for_room() &&
         !outbox_.full();
}

bool Tenure::has_ready(Now now) const { return may_start(now) && jobs_->has_ready(); }

int Tenure::start_ready(int capacity, Now now) {
  now_ = now;
  return may_start(now) ? jobs_->start_ready(capacity, now) : capacity;
}

int Tenure::turn(int capacity, Now now) {
  now_ = now;
  if (planted(Bug::kLeaseFromAnyAck)) {
    renew_lease();
  }
  owner_.tick(now);
  if (ask_input_bounds_at_ && now.boot >= *ask_input_bounds_at_) {
    ask_input_bounds_at_.reset();
    services_.session().bounds(input());
  }
  if (leaving()) see_claim_through(now);
  if (ended() || !task_) return capacity;
  if (reread_ && task_->wants_input() && !leaving() && !owner_.waits_for_room()) {
    reread_ = false;
    stop_input();
    read_input();
  }
  settle_killed(now);
  task_->advance(now);
  capacity = start_ready(capacity, now);
  if (now.boot >= owner_.stop_asked_at() && attempts() > 0) jobs_->ask_all_to_stop();
  // As in the take-over wait, a slot may be in use that the task does not count.
  const bool knows_slots = runs() && !killed_run();
  task_->exchange_slots({knows_slots, leaving(), services_.control_is_read()}, now);
  if (leaving()) leave_step(now);
  if (!ended()) outbox_.tick(now.boot);
  if (offset_to_commit_ && now.boot - offset_committed_at_ > std::chrono::seconds(1)) {
    offset_committed_at_ = now.boot;
    services_.session().commit_offset(options_.task.partition, *offset_to_commit_);
    offset_to_commit_.reset();
  }
  return capacity;
}

std::chrono::nanoseconds Tenure::idle_for(Now now) {
  using std::chrono::nanoseconds;
  if (!task_) {
    return std::clamp<nanoseconds>(owner_.wait_until() - now.boot, std::chrono::milliseconds(1),
                                   std::chrono::milliseconds(100));
  }
  nanoseconds idle = std::chrono::milliseconds(200);
  // What is due waits until the outbox has room: an acknowledgement tells of that.
  if (restoring()) {
    if (!leaving() && !crowded()) return nanoseconds(0);
  } else if (const auto next = outbox_.full() ? std::nullopt : task_->next_time()) {
    idle = std::min<nanoseconds>(idle, std::max<nanoseconds>(*next - now.wall, nanoseconds(0)));
  }
  if (owner_.phase() == Owner::Phase::kWaiting) {
    idle = std::min(idle, std::max<nanoseconds>(owner_.wait_until() - now.boot, nanoseconds(0)));
  }
  if (owner_.waits_for_room() || (task_->dirty() && owner_.may_commit()))
    idle = std::min<nanoseconds>(idle, std::chrono::milliseconds(5));
  return idle;
}

// -- Commits

bool Tenure::commit_is_due(bool busy, Now now) {
  if (ended() || !task_ || !placed_ || !owner_.may_commit()) return false;
  const bool dirty = task_->dirty() || (sweep_ && sweep_->carrying());
  if (!dirty) {
    dirty_since_.reset();
    return now.boot - owner_.last_commit() > options_.lease.lease / 5;  // renews the lease
  }
  if (!dirty_since_) dirty_since_ = now.boot;
  if (task_->unsaved_bytes() >= options_.commit_bytes) return true;
  if (owner_.in_flight() == 0 && !busy) return true;
  return now.boot - *dirty_since_ >= options_.commit_interval;
}

void Tenure::commit(Now now) {
  now_ = now;
  const std::uint64_t seq = owner_.seq() + 1;
  dirty_since_.reset();
  task_->save(
      seq);  // also when nothing changed: what it sends next belongs to the commit after this
  sweep_if_due();
  // What the sweep carries is no part of what has gathered: it waits for a commit with room.
  const bool carries = sweep_ && sweep_->carrying() && view_.batch().size() <= kMaxGatheredBytes;
  if (carries && sweep_->carry(view_)) {
    sweep_->last_commit(seq);
    if (planted(Bug::kCutWhenSent)) delete_state_before(sweep_->start());
  }
  log_size_.save(view_);
  if (view_.batch().size() > kMaxCommitRows) {
    return owner_.drop("a commit of " + std::to_string(view_.batch().size()) +
                       " bytes is more than a state record holds (" +
                       std::to_string(kMaxCommitRows) + "): its work is done again from the log");
  }
  sent_.push_back({seq, task_->input_next(), jobs_ ? jobs_->counters() : TaskCounters{}});
  // The view must take the batch as sent before the owner can hear of it.
  const std::string rows(view_.batch().bytes());
  view_.sent(seq);
  const std::uint64_t sent = owner_.commit(rows, now);
  PENSTOCK_CHECK(sent == seq, "commits are numbered without gaps");
}

void Tenure::sweep_if_due() {
  if (sweep_ || !runs() || log_size_.bytes() < options_.trim_bytes) return;
  // A log cannot begin with a claim: it does not tell which seq comes next.
  if (owner_.last_counted() <= owner_.epoch()) return;
  if (log_size_.bytes() < 2 * store_->approximate_bytes()) return;
  // Rows that the view does not show must be in the store: the sweep looks for them there.
  if (Status status = store_->settle(); !status) return broken(status.error().message);
  sweep_.emplace(owner_.last_counted());
}

// -- Leaving

void Tenure::leave(Instant until) {
  if (leaving() || ended()) return;
  leave_until_ = until;
  stop_input();
  if (planted(Bug::kReleaseBeforeWait) && owner_.phase() == Owner::Phase::kWaiting) {
    return owner_.release(now_);
  }
  if (owner_.phase() < Owner::Phase::kClaiming)
    return owner_.drop(kReleased);  // nothing was claimed
  if (jobs_) jobs_->ask_all_to_stop();
}

void Tenure::lose(const std::string& reason) { owner_.drop(reason); }

// Given back, it costs the next owner nothing; dropped, a lease to wait out. Only a wait is not sat
// out.
void Tenure::see_claim_through(Now now) {
  if (owner_.phase() >= Owner::Phase::kRunning) return;
  if (owner_.phase() != Owner::Phase::kWaiting && now.boot < *leave_until_) return;
  owner_.drop("revoked before its take-over wait was over");
}

void Tenure::leave_step(Now now) {
  const bool killed = killed_run() && !planted(Bug::kReleaseBesideKilled);
  const bool any_run = attempts() > 0 || killed;
  if (!runs() || (any_run && !planted(Bug::kReleaseWithAttempts))) {
    if (now.boot >= *leave_until_ && !ended() && any_run) {
      cut_off_ = true;
      owner_.drop("attempts still ran when the grace time was over");
    }
    return;
  }
  if (!owner_.may_commit()) return;
  if (placed_ && task_->dirty()) commit(now);
  // The slots that were given back must not wait for the next owner to say so.
  const bool left_to_say =
      !restoring() && (outbox_.pending() > 0 || (jobs_ && jobs_->has_reports()));
  const bool saying = jobs_ && jobs_->shares_limits() && left_to_say;
  if (saying && now.boot < *leave_until_) return;
  if (!ended()) owner_.release(now);
}

}  // namespace penstock
