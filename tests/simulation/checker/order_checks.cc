#include "tests/simulation/checker/order_checks.h"

#include "tests/simulation/checks/batches/batch_checks.h"

namespace penstock::simulation {

void OrderChecks::started(const Job& job, const AttemptRequest& request) {
  const Order order = run_.settings().queue.order;
  check_admission(job);
  if (order == Order::kReady) check_ready(job, request);
  if (order == Order::kFair) check_fair(job, request);
}

void OrderChecks::check_admission(const Job& job) {
  if (job.reruns > 0 || job.ends > 0) return;
  const Order order = run_.settings().queue.order;
  for (const Job* const earlier : run_.model().line(job.account)) {
    if (earlier->offset >= job.offset) break;
    if (earlier->ends > 0 || earlier->expires_at || earlier->reruns > 0) continue;
    if (order == Order::kStrict && (earlier->plain || earlier->run_at)) {
      if (earlier->rescheduled || !earlier->plain) continue;
      run_.rules().check(Rule::kStrictOrder, earlier->outcome_terminal, [&] {
        return name_of(job) + " starts before " + name_of(*earlier) + " has ended";
      });
    } else if (order == Order::kCreated && earlier->plain && job.plain && job.starts == 0) {
      run_.rules().check(Rule::kOrder, earlier->starts > 0, [&] {
        return name_of(job) + " starts before " + name_of(*earlier) + ", which was there first";
      });
    }
  }
}

// Among the account's jobs that this owner has taken, none with an earlier run_at still waits.
void OrderChecks::check_ready(const Job& job, const AttemptRequest& request) {
  const Reference& reference = run_.reference(job.partition);
  if (job.starts > 0 || !job.run_at || job.commanded || !job.unique_key.empty()) return;
  if (job.type == kLedType) return;
  if (reference.epoch().value > request.key.token.epoch) return;
  for (const Job* const other : run_.model().line(job.account)) {
    if (other == &job || !other->run_at || *other->run_at >= *job.run_at) continue;
    if (!other->unique_key.empty() || other->type == kLedType) continue;
    if (other->offset.value >= reference.input_next() || other->expires_at || other->commanded ||
        other->ends > 0) {
      continue;
    }
    run_.rules().check(Rule::kReadyOrder, other->starts > 0, [&] {
      return name_of(job) + " starts before " + name_of(*other) + ", which was ready first";
    });
  }
}

// Among the chunks of a bulk (or an account's jobs without one) that this owner has taken, none
// before it waits.
void OrderChecks::check_fair(const Job& job, const AttemptRequest& request) {
  const Reference& reference = run_.reference(job.partition);
  if (job.starts > 0 || !job.plain || reference.epoch().value > request.key.token.epoch) return;
  for (const Job* const other : run_.model().line(job.account)) {
    if (other == &job || other->bulk_id != job.bulk_id || !other->plain || other->ends > 0)
      continue;
    if (other->offset.value >= reference.input_next()) continue;
    if (std::pair(other->priority, other->offset) >= std::pair(job.priority, job.offset)) continue;
    run_.rules().check(Rule::kFairOrder, other->starts > 0, [&] {
      return name_of(job) + " starts before " + name_of(*other) + ", which comes first in its bulk";
    });
  }
}

}  // namespace penstock::simulation
