#include "consumer/task/commands.h"

#include <algorithm>

#include "consumer/job/suspect.h"
#include "topics/values/check.h"

namespace penstock {
namespace {

// A cancel of some jobs of a batch does not stop the others.
bool all_cancelled(const LiveJob& running) {
  const LiveJob& first = running.leader ? *running.leader : running;
  bool all = true;
  if (first.batch)
    first.batch->each([&](const LiveJob* job) { all = all && job->row.cancel_asked(); });
  return all;
}

}  // namespace

void Commands::apply(const JobRecord& command) {
  ++core_.counters.commands;
  LiveJob* const job = parts_.placement.take(command.account, command.id);
  if (!job) return without_job();
  switch (command.op) {
    case Op::kCancel:
      return cancel(job);
    case Op::kRetry:
      return run_again(job);
    case Op::kReschedule:
      return reschedule(job, command.run_at.value_or(core_.now));
    case Op::kDelete:
      return delete_job(job);
    case Op::kEnqueue:
      break;
  }
  PENSTOCK_CHECK(false, "a command has an op of its own");
}

// Of a running job. If this owner does not see the attempt's end, the row tells the next one.
void Commands::ask_to_end(LiveJob* job, Asked asked) {
  job->row.asked = std::max(job->row.asked, asked);
  core_.store.mark_unsaved(job);
  if (all_cancelled(*job)) core_.host.ask_to_stop(job->token);
}

void Commands::cancel(LiveJob* job) {
  if (job->running) return ask_to_end(job, Asked::kCancel);
  if (!is_terminal(job->row.state))
    return parts_.endings.end(job, JobState::kCancelled, "cancelled");
  without_job();
  core_.store.release(job);
}

// Nothing is left of it but its identity, which is remembered for the dedup window from its end on.
void Commands::delete_job(LiveJob* job) {
  if (job->running) return ask_to_end(job, Asked::kDelete);
  // Even for a job that ends now: it makes the end keep no row, and release a lock that is held
  // until a time.
  job->row.asked = Asked::kDelete;
  if (!is_terminal(job->row.state)) return parts_.endings.end(job, JobState::kCancelled, "deleted");
  // An ended job may hold its lock until a time.
  if (job->row.unique != Digest{}) parts_.unique.ended(job);
  core_.store.forget(job);
  core_.store.release(job);
}

// A new series at attempt 1, now, and without an expiry, because the operator who asks for it wants
// it to run. A running job continues as it is.
void Commands::run_again(LiveJob* job) {
  if (job->running) return without_job();
  const bool ended = is_terminal(job->row.state);
  if (ended) parts_.folding.make_way(job);
  if (ended && !parts_.unique.retake(job)) {
    without_job();
    // retake() has noted the holder in the job's reason.
    core_.store.rewrite(*job);
    return core_.store.release(job);
  }
  // Before the state changes: it says under which end the bulk has counted the chunk.
  if (ended && job->row.bulk_index >= 0) core_.bulks.run_again(job->row);
  if (ended && job->row.is_copy()) core_.replays.runs_again(job->row);
  // It leaves its batch, whose cursor is for the jobs that stay.
  parts_.cursor.leave(job);
  core_.store.forget_expiry(job);
  job->row.asked = Asked::kNothing;
  job->row.attempt = 1;
  job->row.crashes = job->row.snoozes = 0;
  job->row.batch = {};
  job->row.turn = {};
  job->row.ran = Duration{0};
  job->row.progress = -1;
  job->row.run_at = core_.now;
  job->row.started_at = job->row.ended_at = Time{};
  job->row.state = JobState::kReady;
  parts_.placement.put_back(job);
}

void Commands::reschedule(LiveJob* job, Time run_at) {
  if (job->running) return without_job();
  if (is_terminal(job->row.state)) {
    without_job();
    return core_.store.release(job);
  }
  // With a time of its own it is no longer retried together with the rest of its batch.
  parts_.cursor.leave(job);
  job->row.batch = {};
  job->row.run_at = run_at;
  parts_.placement.put_back(job);
}

void Commands::crash_notice(const LogRecord& record) {
  if (!record.key || !record.value) return;
  LiveJob* const job = parts_.placement.take(*record.key, *record.value);
  if (!job) return;
  if (is_terminal(job->row.state)) return core_.store.release(job);
  ++job->row.crashes;
  // The count is checked at its next start.
  if (job->running) return core_.store.mark_unsaved(job);
  if (job->row.crashes >= kMaxCrashes) return parts_.endings.bury_crashed(job);
  parts_.placement.put_back(job);
}

void Commands::expire_due() {
  for (std::size_t left = JobStore::kMaxRowsPerStep; left > 0 && core_.has_room(); --left) {
    const auto expiry = core_.store.take_expired(core_.now);
    if (!expiry) return;
    if (expiry->id.empty()) continue;
    if (LiveJob* const job = take_expiring(*expiry)) parts_.endings.expire(job);
  }
}

// The job of an expiry row, taken out of where it waits. Null if it has started, so that it may
// continue, or if the row is about an earlier job with the same id.
LiveJob* Commands::take_expiring(const JobStore::Expiry& expiry) {
  LiveJob* const live = core_.scheduler.lines().find_job(expiry.account, expiry.id);
  LiveJob* const job = live ? live : core_.store.load_by_id(expiry.account, expiry.id);
  if (!job) return nullptr;
  const JobRow& row = job->row;
  const bool same = row.expires_at == expiry.due.at && row.seq == expiry.due.seq;
  const bool waits = !job->running && !is_terminal(row.state) && row.started_at == Time{};
  if (same && waits) {
    parts_.placement.take_out(job);
    return job;
  }
  if (!live) core_.store.release(job);
  return nullptr;
}

}  // namespace penstock
