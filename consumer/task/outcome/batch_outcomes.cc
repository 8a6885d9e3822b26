#include "consumer/task/outcome/batch_outcomes.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "consumer/policy/error_pattern.h"
#include "consumer/policy/retry.h"

namespace penstock {
namespace {

// Whether the job runs again after this outcome, which is its item's too.
bool goes_on(const LiveJob* item, const LiveJob* job, const OutcomeValue& outcome) {
  if (job->row.cancel_asked()) return false;
  const auto* const failed = std::get_if<RetryLater>(&outcome);
  if (!failed)
    return std::holds_alternative<Snooze>(outcome) || std::holds_alternative<Interrupted>(outcome);
  const RetryPolicy& policy = item->type->policy.retry;
  // A folded job ends with the item that stood for it, even if it has attempts left.
  const bool item_ends = !item->row.cancel_asked() && item->row.attempt >= policy.attempts;
  return !item_ends && job->row.attempt < policy.attempts &&
         !discard_reason(policy, failed->error_class);
}

std::string stood_for(const std::string& id) { return "\"" + id + "\", which stood for it"; }

// The wait after which none of the jobs starts before its own backoff ends.
Duration longest_wait(std::span<const JobBatch::Item> items, const RetryLater& failed) {
  if (failed.in) return *failed.in;
  Duration wait{0};
  for (const JobBatch::Item& item : items) {
    const RetryPolicy& policy = item.job->type->policy.retry;
    wait = std::max(wait, retry_delay(policy, item.job->row.attempt, item.job->digest));
    for (const LiveJob* const job : item.folded) {
      wait = std::max(wait, retry_delay(policy, job->row.attempt, job->digest));
    }
  }
  return wait;
}

void cut_reasons(AttemptResult& result, std::size_t jobs) {
  const std::size_t most = std::max(kMinReasonBytes, kMaxBatchReasonBytes / jobs);
  const auto cut = [&](OutcomeValue& outcome) {
    std::visit(
        [&](auto& value) {
          if constexpr (requires { value.reason; })
            value.reason.resize(std::min(value.reason.size(), most));
          if constexpr (requires { value.error; })
            value.error.resize(std::min(value.error.size(), most));
        },
        outcome);
  };
  cut(result.outcome);
  for (std::optional<OutcomeValue>& outcome : result.items) {
    if (outcome) cut(*outcome);
  }
}

// What tells how long an item takes. An attempt that timed out took at least its timeout: if it did
// not count, batches of items that have become slow would keep their size for ever.
std::optional<std::chrono::microseconds> time_of_items(const AttemptResult& result,
                                                       const TypePolicy& policy) {
  if (std::holds_alternative<Done>(result.outcome)) return result.took;
  const auto* const failed = std::get_if<RetryLater>(&result.outcome);
  if (!failed || failed->error_class != kTimeoutError) return std::nullopt;
  return result.took.value_or(policy.timeout);
}

}  // namespace

void BatchOutcomes::finish(const JobBatch& batch, AttemptResult result) {
  bool keeps = false;
  batch.each([&](LiveJob* job) {
    job->running = false;
    job->flow = nullptr;
    job->leader = nullptr;
    keeps = keeps || job->keeps();
  });
  // The first job that goes on holding slots makes its line load rows (Scheduler::add). The rows of
  // the batch's other jobs must be gone by then: those jobs come back after it.
  if (keeps) batch.each([this](LiveJob* job) { core_.store.erase_row(job); });
  const TypeRuntime* const type = batch.items.front().job->type;
  if (const auto took = time_of_items(result, type->policy))
    core_.scheduler.batches().measured(type, batch.items.size(), *took);
  // Every job of the batch has the reason in its row, and all of the rows are in one commit.
  cut_reasons(result, batch.jobs());
  std::string cursor;
  // Taken from the first job, which may end below while others continue with the cursor.
  if (batch.jobs() > 1) cursor = std::exchange(batch.items.front().job->row.cursor, {});
  result.items.resize(batch.items.size());
  std::vector<JobBatch::Item> rest;
  for (std::size_t i = 0; i < batch.items.size(); ++i) {
    result.items[i] ? finish_alone(batch.items[i], *std::move(result.items[i]))
                    : rest.push_back(batch.items[i]);
  }
  keep_cursor(rest, result.outcome, std::move(cursor));
  if (!rest.empty()) finish_rest(rest, std::move(result.outcome));
}

// The batch's cursor stays with the first of the jobs that continue together.
void BatchOutcomes::keep_cursor(Items items, const OutcomeValue& outcome, std::string cursor) {
  if (cursor.empty()) return;
  for (const JobBatch::Item& item : items) {
    LiveJob* keeps = goes_on(item.job, item.job, outcome) ? item.job : nullptr;
    for (LiveJob* const job : item.folded) {
      if (!keeps && goes_on(item.job, job, outcome)) keeps = job;
    }
    if (!keeps) continue;
    keeps->row.cursor = std::move(cursor);
    return;
  }
}

// A job with an outcome of its own has left its batch, and the cursor was the batch's.
void BatchOutcomes::finish_alone(const JobBatch::Item& item, OutcomeValue outcome) {
  const auto leave = [](LiveJob* job) {
    job->row.batch = {};
    job->row.cursor.clear();
  };
  leave(item.job);
  for (LiveJob* const job : item.folded) leave(job);
  if (auto* const failed = std::get_if<RetryLater>(&outcome))
    failed->in = longest_wait({&item, 1}, *failed);
  finish_item(item, outcome);
}

void BatchOutcomes::finish_item(const JobBatch::Item& item, const OutcomeValue& outcome) {
  LiveJob* const job = item.job;
  // All of this is read before finish(), which may release the job.
  const std::string id = job->row.id;
  const auto* const failed = std::get_if<RetryLater>(&outcome);
  const RetryPolicy& policy = job->type->policy.retry;
  const bool discards =
      failed && !job->row.cancel_asked() && discard_reason(policy, failed->error_class);
  const bool exhausted = failed && !job->row.cancel_asked() && job->row.attempt >= policy.attempts;
  outcomes_.finish(job, outcome);
  for (LiveJob* const folded : item.folded) {
    if (failed && (discards || exhausted) && !folded->row.cancel_asked()) {
      endings_.bury(folded, discards ? DeadReason::kDiscarded : DeadReason::kAttemptsExhausted,
                    "with " + stood_for(id) + ": " + failed->error);
    } else {
      finish_folded(folded, id, outcome);
    }
  }
}

void BatchOutcomes::finish_folded(LiveJob* job, const std::string& stood,
                                  const OutcomeValue& outcome) {
  if (std::holds_alternative<Done>(outcome)) {
    ++core_.counters.succeeded;
    return endings_.end(job, JobState::kSucceeded, "\"" + stood + "\" stood for it");
  }
  if (const auto* const discard = std::get_if<Discard>(&outcome)) {
    return endings_.bury(job, DeadReason::kDiscarded,
                         "with " + stood_for(stood) + ": " + discard->reason);
  }
  if (const auto* const cancelled = std::get_if<CancelJob>(&outcome)) {
    return endings_.end(job, JobState::kCancelled,
                        "with " + stood_for(stood) + ": " + cancelled->reason);
  }
  outcomes_.finish(job, outcome);
}

void BatchOutcomes::finish_rest(Items rest, OutcomeValue outcome) {
  if (auto* const failed = std::get_if<RetryLater>(&outcome))
    return retry_together(rest, std::move(*failed));
  if (const auto* const next = std::get_if<NextIteration>(&outcome))
    return go_on_together(rest, *next);
  for (const JobBatch::Item& item : rest) finish_item(item, outcome);
}

void BatchOutcomes::retry_together(Items items, RetryLater failed) {
  const Duration wait = longest_wait(items, failed);
  const BatchPolicy* const policy =
      items.front().job->type->policy.batch ? &*items.front().job->type->policy.batch : nullptr;
  if (policy && policy->on_error == OnBatchError::kSplit && items.size() > 1)
    return split(items, failed, wait);
  failed.in = wait;
  const JobSeq together = core_.seqs.take();
  for (const JobBatch::Item& item : items) {
    item.job->row.batch = together;
    for (LiveJob* const job : item.folded) job->row.batch = together;
    finish_item(item, failed);
  }
}

// Halving finds the item that fails without using up attempts of the others; an item that fails
// alone uses up one of its own.
void BatchOutcomes::split(Items items, const RetryLater& failed, Duration wait) {
  const std::size_t middle = (items.size() + 1) / 2;
  const JobRow& first = items.front().job->row;
  const JobSeq first_half = core_.seqs.take(), second_half = core_.seqs.take();
  ++core_.counters.failed;
  core_.host.attempt_failed({first, first.attempt, items.front().job->type->policy.retry.attempts,
                             failed.error, core_.now + wait});
  const auto set_aside = [&](LiveJob* job, JobSeq half) {
    job->row.reason = failed.error;
    job->row.cursor.clear();
    job->row.batch = half;
    if (job->row.cancel_asked()) return endings_.end_as_asked(job);
    core_.outgoing.event(EventKind::kRetrying, job->row, &job->token, job->row.reason, core_.now);
    outcomes_.retry(job, wait);
  };
  for (std::size_t i = 0; i < items.size(); ++i) {
    const JobSeq half = i < middle ? first_half : second_half;
    set_aside(items[i].job, half);
    for (LiveJob* const job : items[i].folded) set_aside(job, half);
  }
}

// One job has the cursor for all, which must be one that continues: a cancelled one ends here.
void BatchOutcomes::go_on_together(Items items, const NextIteration& next) {
  std::vector<LiveJob*> jobs;
  for (const JobBatch::Item& item : items) {
    jobs.push_back(item.job);
    jobs.insert(jobs.end(), item.folded.begin(), item.folded.end());
  }
  const auto first = std::find_if(jobs.begin(), jobs.end(),
                                  [](const LiveJob* job) { return !job->row.cancel_asked(); });
  const LiveJob* const keeper = first == jobs.end() ? nullptr : *first;
  const JobSeq together = keeper ? core_.seqs.take() : JobSeq{};
  for (LiveJob* const job : jobs) {
    job->row.batch = together;
    outcomes_.finish(job, job == keeper ? next : NextIteration{});
  }
}

}  // namespace penstock
