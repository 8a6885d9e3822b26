#include "consumer/task/folding.h"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "consumer/job/replaced_args.h"
#include "consumer/replay/copy_record.h"
#include "consumer/replay/replay_terms.h"
#include "topics/values/check.h"

namespace penstock {
namespace {

bool has_limit_by_args(const LiveJob& job) {
  if (!job.type) return false;
  const std::vector<LimitPolicy>& limits = job.type->policy.limits;
  return std::any_of(limits.begin(), limits.end(), std::mem_fn(&LimitPolicy::is_by_arguments));
}

// A new job does not shorten the backoff of a failed one.
Time debounced(const JobRow& held, Time run_at) {
  return held.state == JobState::kRetrying ? std::max(held.run_at, run_at) : run_at;
}

}  // namespace

bool Folding::admit(LiveJob* job, const JobRecord& record) {
  const UniquePolicy& policy = *job->type->policy.unique;
  const JobRow& row = job->row;
  // Placement ends it as expired; it must neither take the lock nor change a job that is wanted.
  if (row.expired(core_.now)) return true;
  job->row.unique = core_.unique_gates.key_of(record, policy);
  // Under this scope there is nothing to fold: the gate of the key makes the job wait.
  if (policy.scope == UniqueScope::kRunning) return true;
  if (!core_.locks.holders(row.unique, core_.now).empty()) {
    if (job->row.is_copy()) {
      if (end_behind_holder(job)) return false;
    } else {
      end_waiting_copies(job);
      if (!core_.locks.holders(row.unique, core_.now).empty() && !meet_holders(job, record.args))
        return false;
    }
  }
  parts_.unique.take(job);
  return true;
}

// A copy yields, whatever the policy says of a conflict. Only the lock that its own original holds
// until a time, though it has ended, does not count. Returns whether the copy has ended.
bool Folding::end_behind_holder(LiveJob* copy) {
  const std::string of = copy_origin_member(copy->row.replay, "of");
  for (const UniqueLocks::Holder& holder : holders_of(copy)) {
    if (holder.id == of && !find_live(copy->row.account, holder)) continue;
    end_folded(copy, holder.id);
    return true;
  }
  return false;
}

std::vector<UniqueLocks::Holder> Folding::holders_of(const LiveJob* job) {
  // Copied, because ending a holder or this job changes the locks.
  const auto all = core_.locks.holders(job->row.unique, core_.now);
  return {all.begin(), all.end()};
}

// What the holder's job is, unless it has ended.
std::optional<Folding::Standing> Folding::find_live(std::string_view account,
                                                    const UniqueLocks::Holder& holder) {
  if (const LiveJob* const live = core_.scheduler.lines().find_job(account, holder.id)) {
    if (live->row.seq != holder.seq) return std::nullopt;
    return Standing{live->row.is_copy(), live->running};
  }
  const auto bytes = core_.store.row_of(account, holder.id);
  if (!bytes) return std::nullopt;
  const Result<JobRow> row = JobRow::decode(*bytes);
  PENSTOCK_CHECK(row.has_value(), "a job row follows its grammar");
  if (row->seq != holder.seq || is_terminal(row->state)) return std::nullopt;
  return Standing{row->is_copy(), false};
}

bool Folding::is_waiting_copy(std::string_view account, const UniqueLocks::Holder& holder) {
  if (!is_copy_id(holder.id)) return false;
  const auto found = find_live(account, holder);
  return found && found->is_copy && !found->runs;
}

// A job that is no copy is neither dropped for a copy nor folded into one.
void Folding::end_waiting_copies(const LiveJob* job) {
  for (const UniqueLocks::Holder& holder : holders_of(job)) {
    if (is_waiting_copy(job->row.account, holder))
      end_folded(parts_.placement.take(job->row.account, holder.id), job->row.id);
  }
}

void Folding::make_way(const LiveJob* job) {
  if (job->row.is_copy() || job->row.unique == Digest{}) return;
  const std::vector<UniqueLocks::Holder> holders = holders_of(job);
  const bool can_have_it =
      std::all_of(holders.begin(), holders.end(), [&](const UniqueLocks::Holder& holder) {
        return holder.seq == job->row.seq || is_waiting_copy(job->row.account, holder);
      });
  if (can_have_it) end_waiting_copies(job);
}

// Whether the new job becomes a job beside those that hold its lock; if not, it has ended.
bool Folding::meet_holders(LiveJob* job, std::string_view args) {
  const OnConflict on_conflict = job->type->policy.unique->on_conflict;
  std::vector<UniqueLocks::Holder> holders = holders_of(job);
  // Running copies of a replay are in nobody's way: the key's gate keeps the two from overlapping.
  std::erase_if(holders, [&](const UniqueLocks::Holder& holder) {
    const auto found = is_copy_id(holder.id) ? find_live(job->row.account, holder) : std::nullopt;
    return found && found->is_copy;
  });
  if (holders.empty()) return true;
  if (on_conflict == OnConflict::kDead) {
    parts_.endings.bury(job, DeadReason::kConflict,
                        "\"" + holders.front().id + "\" holds the lock of its unique key");
    return false;
  }
  if (on_conflict == OnConflict::kDrop) return end_folded(job, holders.front().id), false;
  // The newest first: where several holders wait, such as a retry and the job that came during its
  // backoff, the last of them gets the arguments.
  bool runs = false;
  for (auto holder = holders.rbegin(); holder != holders.rend(); ++holder) {
    switch (fold_into(*holder, job, args)) {
      case Folded::kYes:
        return false;
      case Folded::kRuns:
        runs = true;
        break;
      case Folded::kEnded:
        break;
    }
  }
  // fold_into() has ended them all, and the lock is free.
  if (core_.locks.holders(job->row.unique, core_.now).empty()) return true;
  // Admitted beside the running holder, it waits at the key's gate and takes later arguments in.
  if (runs && on_conflict == OnConflict::kKeepLatest) return true;
  end_folded(job, holders.front().id);
  return false;
}

void Folding::end_folded(LiveJob* job, std::string_view into) {
  ++core_.counters.duplicate;
  parts_.endings.end(job, JobState::kDuplicate, "folded into \"" + std::string(into) + "\"");
}

// If the holder waits, it takes the new job's arguments, and the new job ends.
Folding::Folded Folding::fold_into(const UniqueLocks::Holder& holder, LiveJob* job,
                                   std::string_view args) {
  LiveJob* held = core_.scheduler.lines().find_job(job->row.account, holder.id);
  // A lock that is held until a time outlives its job, whose id may name a later one by now. Only
  // the sequence number tells them apart.
  if (held && held->running) return held->row.seq == holder.seq ? Folded::kRuns : Folded::kEnded;
  const bool in_memory = held != nullptr;
  if (!held) held = core_.store.load_by_id(job->row.account, holder.id);
  if (!held) return Folded::kEnded;
  const auto leave = [&] {
    if (!in_memory) core_.store.release(held);
    return Folded::kEnded;
  };
  if (held->row.seq != holder.seq || is_terminal(held->row.state)) return leave();
  // Such a holder will not run any more: folded into it, the new job would be lost. Ending it now
  // frees the lock.
  if (held->row.expired(core_.now) || held->row.cancel_asked()) {
    if (!in_memory) core_.store.release(held);
    LiveJob* const over = parts_.placement.take(job->row.account, holder.id);
    over->row.cancel_asked() ? parts_.endings.end_as_asked(over) : parts_.endings.expire(over);
    return Folded::kEnded;
  }
  std::string value = replaced_args(held->row.value, args);
  if (value.size() > kMaxValueBytes) {
    (void)leave();
    parts_.endings.bury(job, DeadReason::kConflict,
                        "its arguments have no room in the record of \"" + holder.id + "\"");
    return Folded::kYes;
  }
  give_args(held, std::move(value));
  // Before end_folded(), which releases the new job.
  const bool moves = job->type->policy.unique->on_conflict == OnConflict::kDebounce;
  const Time run_at = moves ? debounced(held->row, job->row.run_at) : held->row.run_at;
  end_folded(job, holder.id);
  rewrite(held, in_memory, run_at);
  return Folded::kYes;
}

// Everything that was derived from the old arguments is dropped, and the progress of its batch is
// left to the jobs that stay in it.
void Folding::give_args(LiveJob* held, std::string value) {
  // The new arguments may name other limits.
  if (held->keeps()) core_.scheduler.release_holds(held);
  const bool unsaved = held->unsaved_at != LiveJob::kNotUnsaved;
  parts_.cursor.leave(held);
  core_.store.forget_unsaved(held);  // its size changes
  held->row.batch = {};
  held->row.value = std::move(value);
  held->row.cursor.clear();
  held->limit_names.clear();
  if (unsaved) core_.store.mark_unsaved(held);
}

// Saves a waiting job that has changed. If its time has not changed, it keeps its position in the
// order, and its account its turn.
void Folding::rewrite(LiveJob* held, bool in_memory, Time run_at) {
  // Its line may wait for what its old arguments asked for.
  if (!in_memory) core_.scheduler.row_changes(*held);
  const Order order = core_.options.queue.order;
  // Where the order does not depend on run_at, a job that stays due need not move.
  const bool keeps_place =
      in_memory && run_at <= core_.now && (order == Order::kCreated || order == Order::kFair);
  if (run_at != held->row.run_at && !keeps_place) {
    in_memory ? core_.scheduler.remove(held) : core_.store.leave_due(*held);
    held->row.run_at = run_at;
    return parts_.placement.put_back(held);
  }
  held->row.run_at = run_at;
  if (!in_memory) {
    core_.store.rewrite(*held);
    return core_.store.release(held);
  }
  core_.store.mark_unsaved(held);
  // Its limits may have other names now. If its line waits for anything else, it stays there,
  // because being woken costs the account a turn.
  Line& line = *held->line;
  // With other arguments it may equal other jobs of the batch than before.
  if (line.collection) {
    line.collection.reset();
    return core_.scheduler.wake(line);
  }
  if (line.jobs.first() == held && dynamic_cast<Limit*>(line.gate.waits_at) &&
      has_limit_by_args(*held))
    core_.scheduler.wake(line);
}

}  // namespace penstock
