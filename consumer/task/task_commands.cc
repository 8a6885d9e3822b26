// Task: commands, crash notices, expiry and pruning: what reaches a job by its identity or by time.
#include <algorithm>
#include <utility>

#include "consumer/task/task.h"
#include "state/rows/encoding.h"
#include "topics/planted.h"
#include "topics/values/check.h"

namespace penstock {

LiveJob* Task::find_live(std::string_view account, std::string_view id) {
  Flow* const flow = lines_.find(account);
  if (!flow) return nullptr;
  LiveJob* found = nullptr;
  const auto look = [&](LiveJob* job) {
    while (job && job->row.id != id) job = job->next;
    if (job) found = job;
  };
  flow->each_running([&](LiveJob* job) {
    if (job->row.id == id) found = job;
  });
  flow->each([&](Line& line) {
    if (!found) look(line.jobs.first());
  });
  return found;
}

// A job that has a row and is not in memory, in no line yet; null when there is none.
LiveJob* Task::load_by_identity(std::string_view account, std::string_view id) {
  if (identity_rows_ == 0) return nullptr;
  std::string key;
  if (!view_.get(keys::identity(identity_digest(account, id)), &key)) return nullptr;
  return load(key);
}

// The job in memory, wherever it lay; null when there is none. What is done with it must put it
// back (put_back) or end it, unless it runs.
LiveJob* Task::bring(std::string_view account, std::string_view id) {
  LiveJob* const live = find_live(account, id);
  LiveJob* const job = live ? live : load_by_identity(account, id);
  if (job) take_out(job);
  return job;
}

// Takes a job out of where it waits: out of its line in memory, or its row from what is waited for.
void Task::take_out(LiveJob* job) {
  if (job->flow) return detach(job);
  const std::string& key = job->row_key;
  if (key.front() == keys::kDue) {
    const keys::TimeKey due = keys::parse_time(key);
    due_.removed(due.at, due.offset);
  }
  wake_rows(*job);
  job->type = options_.types->find(job->row.type);
}

// After a command that changed its time or its attempt.
void Task::put_back(LiveJob* job, Now now) {
  erase_row(job);
  place(job, now);
}

void Task::command(const JobRecord& command, Now now) {
  ++counters_.commands;
  LiveJob* const job = bring(command.account, command.id);
  if (!job) {
    ++counters_.commands_without_job;
    return;
  }
  switch (command.op) {
    case Op::kCancel:
      return cancel(job, now);
    case Op::kRetry:
      return run_again(job, now);
    case Op::kReschedule:
      return reschedule(job, command.run_at.value_or(now.wall), now);
    case Op::kDelete:
      return delete_job(job, now);
    case Op::kEnqueue:
      break;
  }
  PENSTOCK_CHECK(false, "a command has an op of its own");
}

// Of a running job. Its row tells the next owner, if this one does not see the attempt's end.
void Task::ask_to_end(LiveJob* job, Asked asked) {
  job->row.asked = std::max(job->row.asked, asked);
  mark_unsaved(job);
  if (all_cancelled(job)) host_.ask_to_stop(job->token);
}

void Task::cancel(LiveJob* job, Now now) {
  if (job->running) return ask_to_end(job, Asked::kCancel);
  if (planted(Bug::kCancelLost) && job->row.run_at > now.wall) return put_back(job, now);
  if (!is_terminal(job->row.state)) return end(job, JobState::kCancelled, "cancelled", now);
  ++counters_.commands_without_job;
  release(job);
}

// Nothing stays of it but its identity in the dedup window, which is there from its end on.
void Task::delete_job(LiveJob* job, Now now) {
  if (job->running) return ask_to_end(job, Asked::kDelete);
  job->row.asked = Asked::kDelete;
  if (!is_terminal(job->row.state)) return end(job, JobState::kCancelled, "deleted", now);
  if (job->row.unique != Digest{}) end_unique(job);
  erase_row(job);
  erase_identity(job);
  release(job);
}

void Task::erase_identity(LiveJob* job) {
  if (!planted(Bug::kIdentityStays)) view_.erase(keys::identity(job->digest));
  job->identity_row = false;
  --identity_rows_;
}

// A new series at attempt 1, now, and without an expiry: whoever asks for it wants it to run. A
// running job goes on as it is.
void Task::run_again(LiveJob* job, Now now) {
  if (job->running) {
    ++counters_.commands_without_job;
    return;
  }
  if (is_terminal(job->row.state) && !retake_unique(job, now)) {
    ++counters_.commands_without_job;
    view_.put(job->row_key, job->row.encode());
    return release(job);
  }
  if (is_terminal(job->row.state) && job->row.bulk_index >= 0) bulks_.run_again(job->row);
  leave_cursor(job);
  forget_expiry(job);
  job->row.asked = Asked::kNothing;
  job->row.attempt = 1;
  job->row.crashes = job->row.snoozes = 0;
  job->row.batch = Offset{-1};
  job->row.turn = -1;
  job->row.ran = Duration{0};
  job->row.progress = -1;
  job->row.run_at = now.wall;
  job->row.started_at = job->row.ended_at = Time{};
  job->row.state = JobState::kReady;
  put_back(job, now);
}

void Task::forget_expiry(LiveJob* job) {
  const Time at = std::exchange(job->row.expires_at, Time{});
  if (at == Time{} || !job->identity_row) return;
  view_.erase(keys::expiry(at, job->row.offset));
  expiries_.removed(at, job->row.offset);
}

void Task::reschedule(LiveJob* job, Time run_at, Now now) {
  if (job->running) {
    ++counters_.commands_without_job;
    return;
  }
  if (is_terminal(job->row.state)) {
    ++counters_.commands_without_job;
    return release(job);
  }
  leave_cursor(job);
  job->row.batch = Offset{-1};
  if (!planted(Bug::kRescheduleIgnored)) job->row.run_at = run_at;
  put_back(job, now);
}

// A worker process died while this job was in flight there.
void Task::crash_notice(const LogRecord& record, Now now) {
  if (!record.key || !record.value) return;
  LiveJob* const job = bring(*record.key, *record.value);
  if (!job) return;
  if (is_terminal(job->row.state)) return release(job);
  if (!planted(Bug::kCrashesForgotten)) ++job->row.crashes;
  if (job->running) return mark_unsaved(job);
  if (job->row.crashes >= kMaxCrashes) return bury_crashed(job, now);
  put_back(job, now);
}

void Task::bury_crashed(LiveJob* job, Now now) {
  bury(job, DeadReason::kCrashed,
       std::to_string(job->row.crashes) + " worker processes died while it ran", now);
}

void Task::expire_due(Now now) {
  if (planted(Bug::kExpiredStarts)) return;
  for (int left = kMaxDueAStep; left > 0 && wants_input(); --left) {
    const auto due = expiries_.first_due(now.wall);
    if (!due) return;
    expiries_.removed(due->at, due->offset);
    const std::string key = keys::expiry(due->at, due->offset);
    std::string who;
    if (!view_.get(key, &who)) continue;
    view_.erase(key);
    Cursor cursor(who);
    const std::string account(cursor.text());
    const std::string id(cursor.text());
    if (LiveJob* const job = take_expiring(*due, account, id))
      end(job, JobState::kExpired, "not started by its expires_at", now);
  }
}

// The job of an expiry row, taken out of where it waits. Null: it has started, so it may go on, or
// the row tells of an earlier job of the same id.
LiveJob* Task::take_expiring(const keys::TimeKey& due, std::string_view account,
                             std::string_view id) {
  LiveJob* const live = find_live(account, id);
  LiveJob* const job = live ? live : load_by_identity(account, id);
  if (!job) return nullptr;
  const JobRow& row = job->row;
  const bool same = row.expires_at == due.at && row.offset == due.offset;
  const bool waits = !job->running && !is_terminal(row.state) && row.started_at == Time{};
  if ((same || planted(Bug::kExpiryKept)) && waits) {
    take_out(job);
    return job;
  }
  if (!live) release(job);
  return nullptr;
}

// Ended jobs whose `keep` is over. Whether there may be more.
bool Task::prune_ended(Now now) {
  if (planted(Bug::kKeptForEver)) return false;
  std::vector<std::string> over;
  view_.scan(std::string(1, keys::kEnded), keys::ended(now.wall, Offset{0}),
             [&](std::string_view key, std::string_view) {
               over.emplace_back(key);
               return over.size() < kMaxDueAStep;
             });
  for (const std::string& key : over) {
    LiveJob* const job = load(key);
    PENSTOCK_CHECK(job, "a scanned row is there");
    view_.erase(keys::identity(job->digest));
    --identity_rows_;
    release(job);
  }
  view_.erase_rows(over);
  return over.size() >= kMaxDueAStep;
}

// Identities that the dedup window has let go.
void Task::prune_identities(Now now) {
  dedup_.forget_before(window_.oldest_kept(now.wall));
  const std::string oldest = keys::dedup_bucket(window_.oldest_kept(now.wall));
  bool any = false;
  view_.scan(keys::dedup_bucket(0), oldest, [&](std::string_view, std::string_view) {
    any = true;
    return false;
  });
  if (any) view_.erase_range_unseen(keys::dedup_bucket(0), oldest);
}

// What is over: rows in the order of their times, a bounded number a step, at once again while
// there is more.
void Task::prune(Now now) {
  prune_identities(now);
  const bool more = limits_.forget_idle();
  open(limits_.room());
  unique_gates_.forget_idle();
  breakers_.forget_idle();
  pruning_ = prune_ended(now) || more;
  if (!pruning_) pruning_ = bulks_.prune(now.wall);  // a bulk outlives its chunks' rows
  pruning_ = unique_locks_.prune(now.wall) || pruning_;
}

}  // namespace penstock
