#include "consumer/task/outcome/endings.h"

#include <string>
#include <utility>

#include "consumer/bulk/on_done.h"

namespace penstock {

void Endings::end(LiveJob* job, JobState state, std::string_view reason) {
  JobRow& row = job->row;
  // The jobs that stay in its batch continue with the cursor.
  cursor_.leave(job);
  row.state = state;
  row.ended_at = core_.now;
  if (!reason.empty()) row.reason = reason;
  core_.counters.cancelled += state == JobState::kCancelled ? 1 : 0;
  core_.counters.expired += state == JobState::kExpired ? 1 : 0;
  core_.counters.dead += state == JobState::kDead ? 1 : 0;
  static constexpr EventKind kEvents[] = {EventKind::kSucceeded, EventKind::kDead,
                                          EventKind::kCancelled, EventKind::kDuplicate,
                                          EventKind::kExpired};
  core_.outgoing.event(kEvents[static_cast<int>(state) - static_cast<int>(JobState::kSucceeded)],
                       row, job->token.number ? &job->token : nullptr, row.reason, core_.now);
  if (row.bulk_index >= 0) end_chunk(row);
  if (row.is_copy()) core_.replays.ended(row);
  // Before remember(), which clears what was asked: a deleted job releases even a lock with a time.
  if (row.unique != Digest{}) unique_.ended(job);
  remember(job);
  core_.store.release(job);
}

void Endings::bury(LiveJob* job, DeadReason reason, std::string_view detail) {
  // Before end(), which releases the job.
  core_.outgoing.dead_job(job->row, reason, detail, core_.now);
  end(job, JobState::kDead, std::string(to_string(reason)) + ": " + std::string(detail));
}

void Endings::end_as_asked(LiveJob* job) {
  const bool deleted = job->row.asked == Asked::kDelete;
  end(job, JobState::kCancelled, deleted ? "deleted while it ran" : "cancelled while it ran");
}

void Endings::bury_crashed(LiveJob* job) {
  bury(job, DeadReason::kCrashed,
       std::to_string(job->row.crashes) + " worker processes died while it ran");
}

void Endings::bury_unknown_type(LiveJob* job) {
  bury(job, DeadReason::kUnknownType,
       "no policy and no handler knows the type \"" + job->row.type +
           "\"; add it to the queue's types, or set \"unknown_types\": \"wait\"");
}

void Endings::remember(LiveJob* job) {
  JobRow& row = job->row;
  Duration keep{0};
  if (job->type && row.state == JobState::kSucceeded) keep = job->type->policy.keep_succeeded;
  if (row.state == JobState::kDead)
    keep = job->type ? job->type->policy.keep_dead : TypePolicy{}.keep_dead;
  // A row that is kept must not ask again for an end that has happened.
  const bool deleted = std::exchange(row.asked, Asked::kNothing) == Asked::kDelete;
  if (deleted) keep = Duration{0};
  const Time until = keep > Duration{0} ? core_.now + keep : Time{};
  if (until != Time{} && row.bulk_index >= 0) core_.bulks.keeps_row(row, until);
  core_.store.end(job, until, core_.now);
}

// The job that a bulk asked for is produced with the end of its last chunk.
void Endings::end_chunk(const JobRow& chunk) {
  const auto all = core_.bulks.ended(chunk, core_.now);
  if (!all) return;
  core_.outgoing.job_of_this_partition(chunk.account,
                                       on_done_record(chunk.account, chunk.bulk, *all));
}

}  // namespace penstock
