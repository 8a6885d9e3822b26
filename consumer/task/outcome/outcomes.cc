#include "consumer/task/outcome/outcomes.h"

#include <algorithm>
#include <optional>
#include <string>
#include <variant>

#include "consumer/job/snooze.h"
#include "consumer/policy/error_pattern.h"
#include "consumer/policy/retry.h"

namespace penstock {

void Outcomes::finish(LiveJob* job, const OutcomeValue& outcome) {
  std::visit([&](const auto& value) { finish_as(job, value); }, outcome);
}

void Outcomes::finish_as(LiveJob* job, const Done&) {
  ++core_.counters.succeeded;
  endings_.end(job, JobState::kSucceeded, {});
}

void Outcomes::finish_as(LiveJob* job, const RetryLater& failed) {
  ++core_.counters.failed;
  JobRow& row = job->row;
  row.reason = failed.error.substr(0, kMaxDetailBytes);
  // A job that was cancelled or deleted gets neither a retry nor a dead record.
  if (row.cancel_asked()) return endings_.end_as_asked(job);
  const RetryPolicy& policy = job->type->policy.retry;
  if (const auto why = discard_reason(policy, failed.error_class))
    return endings_.bury(job, DeadReason::kDiscarded, *why + ": " + row.reason);
  if (row.attempt >= policy.attempts) {
    core_.host.attempt_failed({row, row.attempt, policy.attempts, row.reason, std::nullopt});
    return endings_.bury(job, DeadReason::kAttemptsExhausted,
                         "attempt " + std::to_string(row.attempt) + " of " +
                             std::to_string(policy.attempts) + " failed: " + row.reason);
  }
  // The event and the log show the attempt that has failed, so it is counted up after them.
  const Duration wait = failed.in.value_or(retry_delay(policy, row.attempt, job->digest));
  core_.outgoing.event(EventKind::kRetrying, row, &job->token, row.reason, core_.now);
  core_.host.attempt_failed({row, row.attempt, policy.attempts, row.reason, core_.now + wait});
  ++row.attempt;
  retry(job, wait);
}

void Outcomes::retry(LiveJob* job, Duration wait) {
  unique_.paused(job);
  placement_.place_after(job, wait, JobState::kRetrying);
}

void Outcomes::finish_as(LiveJob* job, const Snooze& snooze) {
  if (job->row.cancel_asked()) return endings_.end_as_asked(job);
  ++core_.counters.snoozed;
  ++job->row.snoozes;
  core_.outgoing.event(EventKind::kSnoozed, job->row, &job->token, snoozes_text(job->row),
                       core_.now);
  unique_.paused(job);
  placement_.place_after(job, snooze_wait(snooze), JobState::kScheduled);
}

void Outcomes::finish_as(LiveJob* job, const Discard& discard) {
  const int attempts = job->type->policy.retry.attempts;
  core_.host.attempt_failed({job->row, job->row.attempt, attempts, discard.reason, std::nullopt});
  endings_.bury(job, DeadReason::kDiscarded, discard.reason);
}

void Outcomes::finish_as(LiveJob* job, const CancelJob& cancelled) {
  endings_.end(job, JobState::kCancelled, cancelled.reason);
}

void Outcomes::finish_as(LiveJob* job, const Interrupted&) {
  if (job->row.cancel_asked()) return endings_.end_as_asked(job);
  placement_.requeue(job);
}

void Outcomes::finish_as(LiveJob* job, const NextIteration& next) {
  job->row.cursor = next.cursor;
  job->row.snoozes = 0;
  // The iteration that may have caused them has ended.
  job->row.crashes = 0;
  core_.outgoing.event(EventKind::kIterated, job->row, &job->token, {}, core_.now);
  if (job->row.cancel_asked()) return endings_.end_as_asked(job);
  if (has_run_long(*job)) give_turn_up(job);
  placement_.requeue(job);
}

bool Outcomes::has_run_long(const LiveJob& job) {
  const std::optional<Duration>& most = job.type->policy.max_runtime;
  return most && job.row.ran >= *most;
}

// Behind every job that was admitted so far, and behind those that have yielded before.
void Outcomes::give_turn_up(LiveJob* job) {
  job->row.turn = core_.seqs.take();
  job->row.ran = Duration{0};
  // There, run_at comes before the sequence number in the order.
  if (core_.options.queue.order == Order::kReady)
    job->row.run_at = std::max(job->row.run_at, core_.now);
}

}  // namespace penstock
