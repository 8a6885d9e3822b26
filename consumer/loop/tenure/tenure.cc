#include "consumer/loop/tenure/tenure.h"

#include <algorithm>
#include <utility>

namespace penstock {

Tenure::Tenure(TenureOptions options, std::unique_ptr<Store> store, TenureParts& parts)
    : core_(std::move(options), std::move(store), parts, *this),
      input_(core_),
      attempts_(core_, input_),
      commits_(core_, input_),
      replay_(core_) {}

TenureEnd Tenure::take_end() {
  // Before its restore has ended, an owner does not know how long it has to wait.
  const bool knows = core_.owner.wait_until() != Instant{};
  return {end_reason_,         cut_off_,         knows ? core_.owner.tenure() : core_.options.last,
          commits_.counters(), commits_.count(), std::move(core_.store)};
}

// -- Events of the owner

void Tenure::restored(Now now) {
  Owner& owner = core_.owner;
  const TaskOptions& options = core_.options.task;
  if (const Status status = Task::check_state(core_.view, options.queue, options.newest_format);
      !status) {
    core_.parts.refuse(status.error().message, now);
    return owner.drop(status.error().message);
  }
  // Only now can the rows be read.
  core_.log.size().restored(core_.view, owner.bytes_restored());
  core_.outbox.begin_restore(core_.names().topic() + "/" + std::to_string(core_.partition()) + "@" +
                             std::to_string(owner.generation()));
  outbox_from_.emplace();
  core_.make_task(attempts_);
  core_.task->restored(owner.generation(), owner.epoch(), owner.commits().seq(), now);
  // The claim counts: attempts may start before a commit has renewed the lease that the watchdog
  // knows.
  renew_lease();
  core_.parts.host.keep_tenure(core_.partition(), owner.tenure());
  input_.find();
}

void Tenure::renew_lease() {
  core_.parts.leases.renew(core_.partition(), core_.owner.lease_until(),
                           core_.owner.tenure().since);
}

void Tenure::counted(std::uint64_t seq, Now now) {
  if (input_.refuse_counted(now)) return;
  // Before the outbox sends: the store has the rows, and what follows may change the view.
  core_.view.applied(seq);
  core_.outbox.counted(seq);
  renew_lease();
  commits_.counted(seq);
  attempts_.watches().counted(seq);
}

void Tenure::released() {
  // The attempts have all ended, or the owner would not have been released.
  end_reason_ = kReleased;
  input_.stop();
  replay_.stop();
}

void Tenure::dropped(const std::string& reason) {
  end_reason_ = reason;
  input_.stop();
  replay_.stop();
  attempts_.end_all();
}

void Tenure::refused(const std::string& reason, Now now) {
  core_.parts.refuse("the state topic " + core_.names().state_topic() + ", partition " +
                         std::to_string(core_.partition()) + ", " + reason,
                     now);
}

// -- Events from the log

void Tenure::on_bounds(TopicId topic, const Result<Bounds>& bounds, Now now) {
  if (core_.log.is_state(topic)) return core_.owner.bounds(bounds, now);
  if (replay_.reads(topic)) return replay_.on_bounds(bounds, now);
  input_.on_bounds(bounds, now);
}

void Tenure::on_group_offset(const Result<std::optional<Offset>>& offset, Now now) {
  input_.on_group_offset(offset, now);
}

void Tenure::on_records(TopicId topic, std::span<const LogRecord> records, Now now) {
  if (core_.log.is_state(topic)) return core_.owner.records(records, now);
  if (replay_.reads(topic)) return replay_.on_records(records, now);
  input_.on_records(records, now);
}

void Tenure::on_out_of_range(TopicId topic, Now now) {
  if (core_.log.is_state(topic)) return core_.owner.out_of_range(now);
  if (replay_.reads(topic)) return replay_.on_out_of_range();
  input_.on_out_of_range();
}

void Tenure::on_truncated(TopicId topic, Offset position, Now now) {
  if (core_.log.is_state(topic)) return core_.owner.out_of_range(now);
  if (replay_.reads(topic)) return replay_.on_out_of_range();
  input_.on_truncated(position, now);
}

void Tenure::on_end(TopicId topic, Offset end) {
  if (replay_.reads(topic)) replay_.on_end(end);
}

void Tenure::on_read_refused(TopicId topic, std::string_view detail) {
  if (replay_.reads(topic)) replay_.on_refused(detail);
}

void Tenure::on_appended(const TenureAppend& append, const Appended& result, Now now) {
  // An answer to an earlier tenure of the partition. Its doubts were settled when this one read the
  // log.
  if (append.tenure != core_.options.tenure) return;
  if (append.lane == Lane::kState) return core_.owner.appended(append.number, result, now);
  // After the end, the rows belong to the next owner, which emits what is left.
  if (!ended()) core_.outbox.appended(append.number, result);
}

void Tenure::emit_outbox_again() {
  if (!ended()) core_.outbox.emit_again();
}

// -- The step

// The outbox comes first: messages of this task must follow those of earlier owners.
void Tenure::restore_some(Now now) {
  if (!outbox_from_) return core_.task->restore_some(now);
  const std::size_t most = core_.options.task.bounds.restored_rows;
  if (!core_.outbox.restore_some(*outbox_from_, most)) outbox_from_.reset();
}

void Tenure::set_control(Now now) {
  if (!core_.task) return;
  core_.task->set_control(&core_.parts.control.control(), now);
  lacks_control_ = false;
}

int Tenure::step(int capacity, Now now) {
  // First, because it may end the tenure or start it running.
  core_.owner.tick(now);
  input_.ask_again_if_due(now);
  if (leaving()) see_claim_through(now);
  if (ended() || !core_.task) return capacity;
  input_.read_again_if_room();
  attempts_.settle_killed(now);
  core_.task->advance(now);
  capacity = attempts_.start_ready(capacity, now);
  if (now.boot >= core_.owner.stop_asked_at() && attempts_.running() > 0)
    attempts_.ask_all_to_stop();
  // As in the take-over wait, a slot may be in use that the task does not count.
  const bool knows_slots = runs() && !attempts_.killed_run();
  core_.task->exchange_slots({knows_slots, leaving(), core_.parts.control.is_read()}, now);
  // After the slots have been exchanged, so that those that are released now are in the last
  // commit.
  if (leaving()) leave_step(now);
  if (!ended()) core_.outbox.tick(now.boot);
  if (!ended()) replay_.step(now);
  input_.commit_offset_if_due(now);
  return capacity;
}

std::chrono::nanoseconds Tenure::idle_for(Now now) {
  using std::chrono::nanoseconds;
  const Owner& owner = core_.owner;
  // The owner that has been asked is heard in records, which wake the loop.
  if (owner.phase() == Owner::Phase::kAsking) return std::chrono::milliseconds(50);
  const auto left_to_wait = owner.wait_until() - now.boot;
  if (!core_.task) {
    return std::clamp<nanoseconds>(left_to_wait, std::chrono::milliseconds(1),
                                   std::chrono::milliseconds(100));
  }
  nanoseconds idle = std::chrono::milliseconds(200);
  if (replay_.is_ready(now)) return nanoseconds(0);
  // Due jobs wait until the outbox has room; an acknowledgement will wake the loop.
  if (restoring()) {
    if (!leaving() && !crowded()) return nanoseconds(0);
  } else if (const auto next = core_.outbox.full() ? std::nullopt : core_.task->next_time()) {
    idle = std::min<nanoseconds>(idle, std::max<nanoseconds>(*next - now.wall, nanoseconds(0)));
  }
  if (owner.phase() == Owner::Phase::kWaiting) {
    idle = std::min(idle, std::max<nanoseconds>(left_to_wait, nanoseconds(0)));
  }
  if (owner.waits_for_room() || (core_.task->dirty() && owner.may_commit()))
    idle = std::min<nanoseconds>(idle, std::chrono::milliseconds(5));
  return idle;
}

// -- Leaving

void Tenure::leave(Instant until) {
  if (leaving() || ended()) return;
  leave_until_ = until;
  input_.stop();
  replay_.stop();
  if (core_.owner.phase() < Owner::Phase::kClaiming)
    return core_.owner.drop(kReleased);  // nothing was claimed
  attempts_.leave();
}

// Releasing a claim costs the next owner nothing, while dropping it costs a lease to wait out. A
// take-over wait, however, is not waited for.
void Tenure::see_claim_through(Now now) {
  const Owner::Phase phase = core_.owner.phase();
  if (phase >= Owner::Phase::kRunning) return;
  if (phase != Owner::Phase::kWaiting && now.boot < *leave_until_) return;
  core_.owner.drop("revoked before its take-over wait was over");
}

void Tenure::leave_step(Now now) {
  const bool any_run = attempts_.running() > 0 || attempts_.killed_run();
  if (!runs() || any_run) {
    if (now.boot >= *leave_until_ && !ended() && any_run) {
      cut_off_ = true;
      core_.owner.drop("attempts still ran when the grace time was over");
    }
    return;
  }
  // The release is an append too, and needs room in flight.
  if (!core_.owner.may_commit()) return;
  if (input_.placed() && core_.task->dirty()) commits_.commit(now);
  // Released slots are reported now; otherwise they would stay unused until the next owner does so.
  const Task* const jobs = core_.jobs;
  const bool left_to_say =
      !restoring() && (core_.outbox.pending() > 0 || (jobs && jobs->has_reports()));
  const bool saying = jobs && core_.jobs->shares_limits() && left_to_say;
  if (saying && now.boot < *leave_until_) return;
  if (!ended()) core_.owner.release(now);
}

}  // namespace penstock
