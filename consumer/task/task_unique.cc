// Task: uniqueness (SPEC section 5, `unique`): what becomes of a newcomer whose lock somebody
// holds, and what of the lock with each thing that can happen to its holder (docs/unique.md has the
// table).
#include <algorithm>
#include <functional>

#include "consumer/job/replaced_args.h"
#include "consumer/task/task.h"
#include "topics/planted.h"
#include "topics/values/check.h"

namespace penstock {
namespace {

constexpr std::string_view kNotRetried = "; not retried: ";

bool has_scope(const LiveJob* job, UniqueScope scope) {
  return job->type && job->type->policy.unique && job->type->policy.unique->scope == scope;
}

bool has_limit_by_args(const LiveJob& job) {
  if (!job.type) return false;
  const std::vector<LimitPolicy>& limits = job.type->policy.limits;
  return std::any_of(limits.begin(), limits.end(), std::mem_fn(&LimitPolicy::is_by_arguments));
}

}  // namespace

// -- Newcomers

// Whether a newcomer of a type with uniqueness becomes a job; if not, it has ended here. `record`
// is its own.
bool Task::admit_unique(LiveJob* job, const JobRecord& record, Now now) {
  const UniquePolicy& policy = *job->type->policy.unique;
  const JobRow& row = job->row;
  if (row.expired(now.wall)) return true;  // it ends as that
  job->row.unique = unique_gates_.key_of(record, policy);
  if (policy.scope == UniqueScope::kRunning) return true;
  if (!unique_locks_.holders(row.unique, now.wall).empty() && !meet_holders(job, record.args, now))
    return false;
  take_unique(job, now);
  return true;
}

void Task::take_unique(LiveJob* job, Now now) {
  const UniquePolicy& policy = *job->type->policy.unique;
  if (planted(Bug::kQueuedLockLost) && job->row.run_at > now.wall) return;
  const Time until = policy.scope == UniqueScope::kTtl ? now.wall + policy.ttl : Time{};
  unique_locks_.take(job->row.unique, {job->row.offset, until, job->row.id}, now.wall);
}

// Whether the newcomer becomes a job beside those who hold its lock; if not, it has ended here.
bool Task::meet_holders(LiveJob* job, std::string_view args, Now now) {
  const OnConflict on_conflict = job->type->policy.unique->on_conflict;
  const auto all = unique_locks_.holders(job->row.unique, now.wall);
  const std::vector<UniqueLocks::Holder> holders(all.begin(), all.end());
  if (on_conflict == OnConflict::kDead && !planted(Bug::kConflictDropped)) {
    bury(job, DeadReason::kConflict,
         "\"" + holders.front().id + "\" holds the lock of its unique key", now);
    return false;
  }
  if (on_conflict == OnConflict::kDrop) return end_folded(job, holders.front().id, now), false;
  bool runs = false;
  for (auto holder = holders.rbegin(); holder != holders.rend(); ++holder) {
    switch (fold_into(*holder, job, args, now)) {
      case Folded::kYes:
        return false;
      case Folded::kRuns:
        runs = true;
        break;
      case Folded::kEnded:
        break;
    }
  }
  if (unique_locks_.holders(job->row.unique, now.wall).empty())
    return true;  // they have ended here
  if (runs && on_conflict == OnConflict::kKeepLatest) return true;
  end_folded(job, holders.front().id, now);
  return false;
}

void Task::end_folded(LiveJob* job, std::string_view into, Now now) {
  ++counters_.duplicate;
  end(job, JobState::kDuplicate, "folded into \"" + std::string(into) + "\"", now);
}

// The holder, if it waits, takes the newcomer's arguments, and the newcomer ends.
Task::Folded Task::fold_into(const UniqueLocks::Holder& holder, LiveJob* job, std::string_view args,
                             Now now) {
  std::string key;
  LiveJob* held = find_live(job->row.account, holder.id);
  if (held && held->running)
    return held->row.offset == holder.offset ? Folded::kRuns : Folded::kEnded;
  const bool in_memory = held != nullptr;
  if (!held) held = load_by_identity(job->row.account, holder.id);
  if (!held) return Folded::kEnded;
  const auto leave = [&] {
    if (!in_memory) release(held);
    return Folded::kEnded;
  };
  if (held->row.offset != holder.offset || is_terminal(held->row.state)) return leave();
  if (held->row.expired(now.wall) || held->row.cancel_asked()) {
    if (!in_memory) release(held);
    LiveJob* const over = bring(job->row.account, holder.id);
    over->row.cancel_asked() ? end_as_asked(over, now)
                             : end(over, JobState::kExpired, "not started by its expires_at", now);
    return Folded::kEnded;
  }
  std::string value = replaced_args(held->row.value, args);
  if (value.size() > kMaxValueBytes) {
    (void)leave();
    bury(job, DeadReason::kConflict,
         "its arguments have no room in the record of \"" + holder.id + "\"", now);
    return Folded::kYes;
  }
  if (!planted(Bug::kFoldForgotten)) give_args(held, std::move(value));
  const bool moves = job->type->policy.unique->on_conflict == OnConflict::kDebounce;
  const Time run_at = moves ? debounced(held->row, job->row.run_at) : held->row.run_at;
  end_folded(job, holder.id, now);
  rewrite(held, in_memory, run_at, now);
  return Folded::kYes;
}

// Nothing stays that was made of the old ones, and what its batch had begun is for those who stay.
void Task::give_args(LiveJob* held, std::string value) {
  if (held->keeps()) let_go(held);
  const bool unsaved = held->unsaved_at != LiveJob::kNotUnsaved;
  leave_cursor(held);
  forget_unsaved(held);  // its size changes
  held->row.batch = Offset{-1};
  held->row.value = std::move(value);
  held->row.cursor.clear();
  held->limit_names.clear();
  if (unsaved) mark_unsaved(held);
}

// A retry comes no sooner because somebody asks again.
Time Task::debounced(const JobRow& held, Time run_at) {
  return held.state == JobState::kRetrying ? std::max(held.run_at, run_at) : run_at;
}

// The row of a waiting job that has changed. Where its time has not, it keeps its place, and its
// account's turn.
void Task::rewrite(LiveJob* held, bool in_memory, Time run_at, Now now) {
  if (!in_memory) wake_rows(*held);
  const Order order = options_.queue.order;
  const bool keeps_place =
      in_memory && run_at <= now.wall && (order == Order::kCreated || order == Order::kFair);
  if (run_at != held->row.run_at && !keeps_place) {
    if (in_memory) {
      detach(held);
    } else if (held->row_key.front() == keys::kDue) {
      const keys::TimeKey due = keys::parse_time(held->row_key);
      due_.removed(due.at, due.offset);
    }
    held->row.run_at = run_at;
    return put_back(held, now);
  }
  held->row.run_at = run_at;
  if (!in_memory) {
    view_.put(held->row_key, held->row.encode());
    return release(held);
  }
  mark_unsaved(held);
  // Its limits may have other names now. (What waits for anything else waits on: a wake costs its
  // account a turn.)
  Line& line = *held->line;
  if (line.collection) {  // what equals what has changed
    line.collection.reset();
    return wake(line);
  }
  if (line.jobs.first() == held && dynamic_cast<Limit*>(line.gate.waits_at) &&
      has_limit_by_args(*held))
    wake(line);
}

// -- Holders

// A job of a type with uniqueness is about to start: it has a key, though it may have been admitted
// without.
void Task::know_unique(LiveJob* job) {
  if (job->row.unique != Digest{}) return;
  forget_unsaved(job);
  job->row.unique = unique_gates_.key_of(job);
  mark_unsaved(job);
}

void Task::start_unique(LiveJob* job, Now now) {
  const UniquePolicy& policy = *job->type->policy.unique;
  if (policy.scope == UniqueScope::kQueued) unique_locks_.release(job->row.unique, job->row.offset);
  const bool holds =
      policy.scope == UniqueScope::kQueuedAndRunning || policy.scope == UniqueScope::kUntilDone;
  if (holds) take_unique(job, now);  // it may have let go, or never have had it
  if (UniqueGates::is_exclusive(policy)) unique_gates_.close(job);
}

// The attempt is over and another comes later.
void Task::pause_unique(LiveJob* job) {
  if (has_scope(job, UniqueScope::kQueuedAndRunning))
    unique_locks_.release(job->row.unique, job->row.offset);
}

void Task::end_unique(LiveJob* job) {
  if (planted(Bug::kLockLeaked) && job->row.state == JobState::kCancelled) return;
  const bool deleted = job->row.asked == Asked::kDelete && !planted(Bug::kLockOutlivesDelete);
  deleted ? unique_locks_.drop(job->row.unique, job->row.offset)
          : unique_locks_.release(job->row.unique, job->row.offset);
}

// An ended job is to run again: whether it has its lock again, or needs none.
bool Task::retake_unique(LiveJob* job, Now now) {
  if (!job->type || !job->type->policy.unique || job->row.unique == Digest{}) return true;
  if (has_scope(job, UniqueScope::kRunning)) return true;
  for (const UniqueLocks::Holder& holder : unique_locks_.holders(job->row.unique, now.wall)) {
    if (holder.offset == job->row.offset) continue;
    std::string& reason = job->row.reason;
    reason.resize(std::min(reason.size(), reason.find(kNotRetried)));
    reason.append(kNotRetried)
        .append("\"")
        .append(holder.id)
        .append("\" holds the lock of its unique key");
    return false;
  }
  take_unique(job, now);
  return true;
}

void Task::open_unique(UniqueGate* gate, std::uint64_t attempt) {
  gate->open(attempt);
  open(*gate);
  unique_gates_.forget(gate);
}

std::vector<std::string> Task::lock_holders(const Digest& key, Now now) {
  std::vector<std::string> ids;
  for (const auto& holder : unique_locks_.holders(key, now.wall)) ids.push_back(holder.id);
  const std::string runs(unique_gates_.holder(key));
  if (!runs.empty() && std::find(ids.begin(), ids.end(), runs) == ids.end()) ids.push_back(runs);
  return ids;
}

}  // namespace penstock
