#include "consumer/task/outcome/placement.h"

#include <algorithm>
#include <vector>

namespace penstock {

void Placement::place(LiveJob* job) {
  if (!job->type) job->type = core_.type_of(job->row);
  const bool early = job->row.run_at > core_.now;
  // Until now its type was unknown.
  if (job->row.state == JobState::kWaiting) job->ready_since = core_.now;
  if (job->row.expired(core_.now)) return endings_.expire(job);
  if (job->row.cancel_asked()) return endings_.end_as_asked(job);
  if (!job->type && core_.options.queue.unknown_types == UnknownTypes::kDead)
    return endings_.bury_unknown_type(job);
  if (early) {
    // A job that waits for its retry stays one, even if its time was changed.
    if (job->row.state != JobState::kRetrying) job->row.state = JobState::kScheduled;
    if (!core_.order.is_strict()) {
      core_.store.move(job, Place::kDue);
      return core_.store.release(job);
    }
  } else {
    job->row.state = JobState::kReady;
  }
  // Under strict it stays in its line, which it blocks: no later job may start before it.
  if (!job->type && !core_.order.is_strict()) return park(job);
  core_.scheduler.add(job);
}

void Placement::park(LiveJob* job) {
  job->row.state = JobState::kWaiting;
  core_.store.move(job, Place::kUnknownType);
  core_.store.release(job);
}

void Placement::requeue(LiveJob* job) {
  job->row.state = JobState::kReady;
  job->stop_asked = false;
  core_.scheduler.add(job);
}

void Placement::place_after(LiveJob* job, Duration wait, JobState state) {
  // The time of this pass is cut to the millisecond, so the attempt may have ended that much later.
  const Time until = wait > Duration(0) ? core_.now + wait + kWallResolution : core_.now;
  job->row.run_at = until;
  job->row.state = state;
  job->row.ran = Duration{0};
  if (state == JobState::kRetrying) job->row.snoozes = 0;
  job->stop_asked = false;
  if (core_.order.is_strict() || until <= core_.now) return core_.scheduler.add(job);
  core_.store.move(job, Place::kDue);
  core_.store.release(job);
}

void Placement::place_due() {
  std::size_t& left = core_.scheduler.budget().due;
  while (left > 0 && core_.unsaved_bytes() < kMaxDueBytes && !core_.outgoing.full()) {
    const auto first = core_.store.first_due(core_.now);
    if (!first) return;
    const std::vector<LiveJob*> jobs =
        core_.store.load_due(*first, std::min(left, JobStore::kMaxDuePerScan), core_.now);
    for (LiveJob* const job : jobs) put_back(job);
    left -= jobs.size();
  }
}

LiveJob* Placement::take(std::string_view account, std::string_view id) {
  LiveJob* const live = core_.scheduler.lines().find_job(account, id);
  LiveJob* const job = live ? live : core_.store.load_by_id(account, id);
  if (job) take_out(job);
  return job;
}

void Placement::take_out(LiveJob* job) {
  // A running job is in no line, and stays where it is.
  if (job->flow) return core_.scheduler.remove(job);
  core_.store.leave_due(*job);
  // Its line may be waiting for it, though none of its jobs is in memory.
  core_.scheduler.row_changes(*job);
  job->type = core_.type_of(job->row);
}

void Placement::put_back(LiveJob* job) {
  core_.store.erase_row(job);
  place(job);
}

}  // namespace penstock
