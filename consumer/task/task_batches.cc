// Task: jobs of one type and account that are handed over together. Which jobs those are follows
// from the rows alone, so a restart collects anew and hands over nothing twice.
//
//  - A line whose first job's type has a batch policy is blocked while its next batch is collected,
//  and while one
//    of its batches runs.
//  - Jobs that failed together are handed over together again, and with no others (JobRow::batch),
//  each with its
//    own attempts; under "split" as two halves, and who fails alone stays alone.
//  - Of such jobs at most one has a cursor, which is of all of them. Whichever leads them takes it,
//  and who leaves them leaves it to those who stay.
#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "consumer/policy/error_pattern.h"
#include "consumer/policy/retry.h"
#include "consumer/task/task.h"
#include "topics/planted.h"
#include "topics/values/check.h"

namespace penstock {
namespace {

// Whether the job runs again after this outcome, which is its item's too.
bool goes_on(const LiveJob* item, const LiveJob* job, const OutcomeValue& outcome) {
  if (job->row.cancel_asked()) return false;
  const auto* const failed = std::get_if<RetryLater>(&outcome);
  if (!failed)
    return std::holds_alternative<Snooze>(outcome) || std::holds_alternative<Interrupted>(outcome);
  const RetryPolicy& policy = item->type->policy.retry;
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

// What tells how long an item takes. A hand-over that ran out of its time took at least that:
// without it, items that have become slow would be handed over in the same number for ever.
std::optional<std::chrono::microseconds> time_of_items(const AttemptResult& result,
                                                       const TypePolicy& policy) {
  if (std::holds_alternative<Done>(result.outcome)) return result.took;
  const auto* const failed = std::get_if<RetryLater>(&result.outcome);
  if (!failed || failed->error_class != kTimeoutError) return std::nullopt;
  return result.took.value_or(policy.timeout);
}

}  // namespace

// -- Collecting

int Task::batch_size(const LiveJob* first) const {
  const auto found = sizers_.find(first->type);
  return (found == sizers_.end() ? BatchSizer() : found->second).size(*first->type->policy.batch);
}

// Its first job; null when none of the line's batches runs.
LiveJob* Task::running_batch(const Line& line) const {
  std::string buffer;
  for (LiveJob* job = line.flow->running.first(); job; job = job->next) {
    if (job->batch && line_of(job->row, buffer) == line.name && !planted(Bug::kBatchItemTwice))
      return job;
  }
  return nullptr;
}

void Task::block(Line& line, Time until) {
  leave_gate(line);
  if (line.blocked_until != Time{}) blocked_.erase({line.blocked_until, &line});
  line.blocked_until = until;
  if (until != kUntilBatchEnds) blocked_.insert({until, &line});
  settle(line);
}

bool Task::batch_waits(LiveJob* first, Now now) {
  const BatchPolicy& policy = *first->type->policy.batch;
  Line& line = *first->line;
  if (running_batch(line)) {
    block(line, kUntilBatchEnds);
    return true;
  }
  const bool together = first->row.batch.value >= 0;
  if (together && due_.first_due(first->row.run_at)) {
    block(line, now.wall);  // until the rest of them is in the line too
    return true;
  }
  take_lead(first);
  const bool goes_as_it_is = together || is_suspect(first->row);
  if (policy.delay == Duration{0} || goes_as_it_is || planted(Bug::kBatchAtOnce)) return false;
  if (!line.collection) line.collection = collect(first);
  const Time due = line.collection->due(policy);
  if (due <= now.wall || line.collection->full(batch_size(first))) return false;
  block(line, due);
  return true;
}

std::unique_ptr<Collection> Task::collect(LiveJob* first) {
  auto collection = std::make_unique<Collection>();
  const bool strict = options_.queue.order == Order::kStrict;
  const bool set = first->type->policy.batch->collect == Collect::kSet;
  const int most = batch_size(first);
  std::size_t looked_at = 0;
  for (LiveJob* job = first; job && looked_at < kMaxLookedAt; job = lines_.next(job), ++looked_at) {
    if (collection->full(most)) break;
    if (job == first || can_join(first, job, clock_)) {
      set ? collection->add(job->row, arguments_.of(job->row)) : collection->add(job->row);
    } else if (strict) {
      collection->close();
    }
  }
  lines_.trim_saved(*first->line, Lines::kKeptJobs);
  return collection;
}

bool Task::joins_batch(Line& line, const LiveJob* job) {
  if (line.blocked_until == Time{}) {
    line.collection.reset();
    return false;
  }
  if (!line.collection) return false;
  const LiveJob* const first = line.jobs.first();
  if (!first) {  // they are rows only: it is collected anew, with this one
    line.collection.reset();
    return true;
  }
  if (first->row.type != job->row.type || job->row.batch.value >= 0) {
    if (options_.queue.order != Order::kStrict) return false;
    first->place < job->place ? line.collection->close() : line.collection.reset();
    return true;
  }
  const BatchPolicy& policy = *job->type->policy.batch;
  const bool set = policy.collect == Collect::kSet;
  set ? line.collection->add(job->row, arguments_.of(job->row)) : line.collection->add(job->row);
  if (line.collection->full(batch_size(job))) return true;
  blocked_.erase({line.blocked_until, &line});
  line.blocked_until = line.collection->due(policy);
  blocked_.insert({line.blocked_until, &line});
  return false;
}

// -- Handing over

bool Task::can_join(const LiveJob* first, const LiveJob* job, Time now) {
  const JobRow& row = job->row;
  const bool early = row.run_at > now && row.run_at != row.admitted_at;
  const bool has_own_cursor =  // of the time before its type had a batch policy
      row.batch.value < 0 && !(row.cursor.empty() && first->row.cursor.empty());
  return !has_own_cursor && row.type == first->row.type && row.batch == first->row.batch &&
         !early && !row.expired(now) && !row.cancel_asked() && !is_suspect(first->row) &&
         !is_suspect(row);
}

// The attempt takes one slot of each limit, so its jobs are those that need the same.
bool Task::shares_limits(LiveJob* first, LiveJob* job) {
  const std::vector<LimitPolicy>& limits = first->type->policy.limits;
  if (std::none_of(limits.begin(), limits.end(), std::mem_fn(&LimitPolicy::is_by_arguments)))
    return true;
  job->type = first->type;
  limits_.name(first);
  limits_.name(job);
  return first->limit_names == job->limit_names;
}

// No two jobs of a unique key run at once where its scope says so, in one batch neither; and who
// was in flight at a death waits for its notice.
bool Task::may_run_beside(const JobBatch& batch, LiveJob* job) {
  if (host_.awaits_notice(job->row, input_next_)) return false;
  const std::optional<UniquePolicy>& policy = batch.items.front().job->type->policy.unique;
  if (!policy || !UniqueGates::is_exclusive(*policy)) return true;
  know_unique(job);
  bool free = job->unique_gate || unique_gates_.holder(job->row.unique).empty();
  batch.each([&](const LiveJob* other) { free = free && other->row.unique != job->row.unique; });
  return free;
}

std::unique_ptr<JobBatch> Task::gather(LiveJob* first, Now now) {
  auto batch = std::make_unique<JobBatch>();
  const bool alone = is_suspect(first->row);
  if (alone) leave_cursor(first);
  LiveJob* has_cursor = nullptr;
  const bool set = first->type->policy.batch->collect == Collect::kSet;
  const bool strict = options_.queue.order == Order::kStrict;
  const int own = batch_size(first) + (planted(Bug::kBatchMaxExceeded) ? 1 : 0);
  const auto most = static_cast<std::size_t>(first->row.batch.value >= 0 ? kMaxBatch : own);
  absl::flat_hash_map<std::pair<std::uint64_t, std::uint64_t>, std::size_t> known;
  absl::flat_hash_set<std::string> bulks;
  std::size_t jobs = 0, cost = 0, looked_at = 0;
  for (LiveJob* job = first; job && looked_at < kMaxLookedAt; job = lines_.next(job), ++looked_at) {
    const bool together = job->row.batch.value >= 0 && job->row.batch == first->row.batch;
    if (together && !alone && !has_cursor && !job->row.cursor.empty()) has_cursor = job;
    if (job != first && (!can_join(first, job, now.wall) || !shares_limits(first, job))) {
      if (strict) break;
      continue;
    }
    job->type = first->type;
    if (job != first && !may_run_beside(*batch, job)) {
      if (strict) break;
      continue;
    }
    cost += batch_cost(job->row);
    // Their last chunks may all be here: each bulk's job once.
    if (job->row.bulk_index >= 0 && bulks.insert(job->row.bulk).second)
      cost += bulks_.on_done_bytes(job->row);
    if (jobs > 0 && (jobs == kMaxBatch || cost > kMaxBatchCost)) break;
    if (set) {
      const Digest args = arguments_.of(job->row);
      const auto [at, is_new] = known.try_emplace({args.high, args.low}, batch->items.size());
      if (!is_new) {
        batch->items[at->second].folded.push_back(job);
        ++jobs;
        continue;
      }
    }
    if (batch->items.size() == most) break;
    batch->items.push_back({job});
    ++jobs;
    if (!set && batch->items.size() == most) break;
  }
  if (has_cursor && has_cursor != first && !planted(Bug::kBatchCursorLeft))
    move_cursor(has_cursor, first);
  if (planted(Bug::kBatchOutOfOrder) && batch->items.size() > 2)
    std::swap(batch->items[1], batch->items.back());
  return batch;
}

// A cancel of some of them does not stop the others.
bool Task::all_cancelled(LiveJob* running) const {
  const LiveJob& first = running->leader ? *running->leader : *running;
  bool all = true;
  if (first.batch)
    first.batch->each([&](const LiveJob* job) { all = all && job->row.cancel_asked(); });
  return all;
}

// -- Outcome

// What came while it ran may be handed over now.
void Task::batch_ended(Flow& flow, std::string_view name) {
  Line* const line = Lines::find(flow, name);
  if (line && line->blocked_until == kUntilBatchEnds) wake(*line);
}

void Task::finish_batch(const JobBatch& batch, AttemptResult result, Now now) {
  bool keeps = false;
  batch.each([&](LiveJob* job) {
    job->running = false;
    job->flow = nullptr;
    job->leader = nullptr;
    keeps = keeps || job->keeps();
  });
  // The one that goes on first with what it keeps has rows of its line loaded (enter_line): not
  // those of the others, which come back after it.
  if (keeps) batch.each([this](LiveJob* job) { erase_row(job); });
  const TypeRuntime* const type = batch.items.front().job->type;
  if (const auto took = time_of_items(result, type->policy))
    sizers_[type].measured(batch.items.size(), *took);
  cut_reasons(result, batch.jobs());
  std::string cursor;
  if (batch.jobs() > 1) cursor = std::exchange(batch.items.front().job->row.cursor, {});
  if (planted(Bug::kItemAnswerIgnored)) result.items.clear();
  result.items.resize(batch.items.size());
  std::vector<JobBatch::Item> rest;
  for (std::size_t i = 0; i < batch.items.size(); ++i) {
    result.items[i] ? finish_alone(batch.items[i], *std::move(result.items[i]), now)
                    : rest.push_back(batch.items[i]);
  }
  keep_cursor(rest, result.outcome, std::move(cursor));
  if (!rest.empty()) finish_rest(rest, std::move(result.outcome), now);
}

// The batch's cursor is with the first of those who go on together.
void Task::keep_cursor(std::span<const JobBatch::Item> items, const OutcomeValue& outcome,
                       std::string cursor) {
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

// With an outcome of its own it is in no batch any more, and the cursor was the batch's.
void Task::finish_alone(const JobBatch::Item& item, OutcomeValue outcome, Now now) {
  const auto leave = [](LiveJob* job) {
    job->row.batch = Offset{-1};
    job->row.cursor.clear();
  };
  leave(item.job);
  for (LiveJob* const job : item.folded) leave(job);
  if (auto* const failed = std::get_if<RetryLater>(&outcome))
    failed->in = longest_wait({&item, 1}, *failed);
  finish_item(item, outcome, now);
}

void Task::finish_item(const JobBatch::Item& item, const OutcomeValue& outcome, Now now) {
  LiveJob* const job = item.job;
  const std::string id = job->row.id;
  const auto* const failed = std::get_if<RetryLater>(&outcome);
  const RetryPolicy& policy = job->type->policy.retry;
  const bool discards =
      failed && !job->row.cancel_asked() && discard_reason(policy, failed->error_class);
  const bool exhausted = failed && !job->row.cancel_asked() && job->row.attempt >= policy.attempts;
  std::visit([&](const auto& value) { finish_as(job, value, now); }, outcome);
  for (LiveJob* const folded : item.folded) {
    if (planted(Bug::kBatchItemForgotten)) {
      release(folded);
    } else if (failed && (discards || exhausted) && !folded->row.cancel_asked()) {
      bury(folded, discards ? DeadReason::kDiscarded : DeadReason::kAttemptsExhausted,
           "with " + stood_for(id) + ": " + failed->error, now);
    } else {
      finish_folded(folded, id, outcome, now);
    }
  }
}

void Task::finish_folded(LiveJob* job, const std::string& stood, const OutcomeValue& outcome,
                         Now now) {
  if (std::holds_alternative<Done>(outcome)) {
    ++counters_.succeeded;
    return end(job, JobState::kSucceeded, "\"" + stood + "\" stood for it", now);
  }
  if (const auto* const discard = std::get_if<Discard>(&outcome)) {
    return bury(job, DeadReason::kDiscarded, "with " + stood_for(stood) + ": " + discard->reason,
                now);
  }
  if (const auto* const cancelled = std::get_if<CancelJob>(&outcome)) {
    return end(job, JobState::kCancelled, "with " + stood_for(stood) + ": " + cancelled->reason,
               now);
  }
  std::visit([&](const auto& value) { finish_as(job, value, now); }, outcome);
}

void Task::finish_rest(std::span<const JobBatch::Item> rest, OutcomeValue outcome, Now now) {
  if (auto* const failed = std::get_if<RetryLater>(&outcome))
    return retry_together(rest, std::move(*failed), now);
  if (const auto* const next = std::get_if<NextIteration>(&outcome))
    return go_on_together(rest, *next, now);
  for (const JobBatch::Item& item : rest) finish_item(item, outcome, now);
}

void Task::retry_together(std::span<const JobBatch::Item> items, RetryLater failed, Now now) {
  const Duration wait = longest_wait(items, failed);
  const BatchPolicy* const policy =
      items.front().job->type->policy.batch ? &*items.front().job->type->policy.batch : nullptr;
  if (policy && policy->on_error == OnBatchError::kSplit && items.size() > 1)
    return split(items, failed, wait, now);
  failed.in = wait;
  const Offset together =
      planted(Bug::kBatchRetriedMixed) ? Offset{-1} : batch_number(items.front().job->token);
  for (const JobBatch::Item& item : items) {
    item.job->row.batch = together;
    for (LiveJob* const job : item.folded) job->row.batch = together;
    finish_item(item, failed, now);
  }
}

// Which of them it was is found out by halves, which spends no attempt; who fails alone spends one.
void Task::split(std::span<const JobBatch::Item> items, const RetryLater& failed, Duration wait,
                 Now now) {
  const std::size_t middle = (items.size() + 1) / 2;
  const JobRow& first = items.front().job->row;
  const Offset together = batch_number(items.front().job->token);
  ++counters_.failed;
  host_.attempt_failed({first, first.attempt, items.front().job->type->policy.retry.attempts,
                        failed.error, now.wall + wait});
  const auto set_aside = [&](LiveJob* job, Offset half) {
    job->row.reason = failed.error;
    job->row.cursor.clear();
    job->row.batch = half;
    if (job->row.cancel_asked()) return end_as_asked(job, now);
    emit_event(EventKind::kRetrying, job->row, &job->token, job->row.reason, now);
    pause_unique(job);
    wait_for(job, wait, JobState::kRetrying, now);
  };
  for (std::size_t i = 0; i < items.size(); ++i) {
    const Offset half = i < middle ? together : together.next();
    set_aside(items[i].job, half);
    for (LiveJob* const job : items[i].folded) set_aside(job, half);
  }
}

// The cursor is kept with the first, and they stay together as long as there is one.
void Task::go_on_together(std::span<const JobBatch::Item> items, const NextIteration& next,
                          Now now) {
  std::vector<LiveJob*> jobs;
  for (const JobBatch::Item& item : items) {
    jobs.push_back(item.job);
    jobs.insert(jobs.end(), item.folded.begin(), item.folded.end());
  }
  const auto first = std::find_if(jobs.begin(), jobs.end(),
                                  [](const LiveJob* job) { return !job->row.cancel_asked(); });
  const LiveJob* const keeper = first == jobs.end() ? nullptr : *first;
  const Offset together = keeper ? batch_number(keeper->token) : Offset{-1};
  for (LiveJob* const job : jobs) {
    job->row.batch = together;
    finish_as(job, job == keeper ? next : NextIteration{}, now);
  }
}

}  // namespace penstock
