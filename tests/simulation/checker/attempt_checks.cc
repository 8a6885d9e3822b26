#include "tests/simulation/checker/attempt_checks.h"

#include <algorithm>
#include <variant>

#include "topics/partitioner.h"

namespace penstock::simulation {
namespace {

constexpr Duration kClocksDiffer{4000};  // hosts' clocks drift by 1 % over a run

// The requests of a batch's items, as if each were handed over alone.
std::vector<AttemptRequest> jobs_of(const AttemptRequest& request) {
  if (request.items.empty()) return {request};
  std::vector<AttemptRequest> jobs;
  for (const AttemptItem& item : request.items) {
    AttemptRequest& job = jobs.emplace_back(request);
    job.id = item.id;
    job.args = item.args;
    job.attempt = item.attempt;
    job.headers = item.headers;
    job.replay = item.replay;
    job.items.clear();
  }
  return jobs;
}

}  // namespace

void AttemptChecks::started(std::size_t host, const AttemptRequest& request, Now now) {
  if (run_.rules().broken) return;
  std::string& last = last_token_[request.account];
  const std::string token = request.key.token.text();
  run_.rules().check(Rule::kTokensGrow, token > last,
                     [&] { return request.account + " starts " + token + " after " + last; });
  last = token;
  run_.rules().check(Rule::kTokensDiffer, tokens_.insert(token).second, [&] {
    return request.account + " starts " + token + ", as another attempt has";
  });
  running_.shown(host, request.key, request.account);
  features_.sizes.started(request, run_.reference(request.key.partition));
  features_.life.started(host, request, run_.cluster().now());
  if (features_.replays.are_copies(request)) return copies_started(host, request, now);
  features_.limits.started(host, request, now, run_.cluster().now());
  features_.batches.started(host, request, run_.cluster().now());
  features_.groups.started(request);
  for (const AttemptRequest& job : jobs_of(request)) {
    run_.say("host " + std::to_string(host) + " starts " + job.account + "/" + job.id +
             " attempt " + std::to_string(job.attempt) + " epoch " +
             std::to_string(job.key.token.epoch));
    job_started(host, job, now);
  }
}

// They are no jobs of the model, so most of the other rules say nothing about them.
void AttemptChecks::copies_started(std::size_t host, const AttemptRequest& request, Now now) {
  features_.shared.started(host, request);
  features_.unique.copy_started(host, request);
  features_.groups.copies_started(request);
  features_.replays.shown(host, request);
  if (request.type == kSizedType) features_.sizes.copies_started(request);
  for (const AttemptRequest& copy : jobs_of(request)) {
    run_.say("host " + std::to_string(host) + " starts " + copy.account + "/" + copy.id +
             " attempt " + std::to_string(copy.attempt) + " epoch " +
             std::to_string(copy.key.token.epoch) + ", a copy");
    features_.replays.started(copy, now);
  }
}

void AttemptChecks::job_started(std::size_t host, const AttemptRequest& request, Now now) {
  Job* const job = run_.model().find(request.account, request.id);
  run_.rules().check(Rule::kNoPhantom, job != nullptr, [&] {
    return request.account + "/" + request.id + " runs, but no record asks for it";
  });
  if (!job) return;
  const PartitionId home = partition_of(job->account, run_.settings().queue.partitions);
  run_.rules().check(Rule::kRightPartition, request.key.partition == home,
                     [&] { return name_of(*job) + " runs in the wrong partition"; });
  features_.unique.started(host, request, *job);
  features_.shared.started(host, request);
  features_.breakers.started(request, run_.reference(home), job->starts == 0, now,
                             run_.cluster().now());
  features_.errors.started(request, job->reruns == 0 && !run_.may_be_forgotten(*job));
  features_.long_jobs.started(request, *job, run_.reference(home), now);
  features_.crashes.started(request, *job, run_.reference(home));
  check_times(*job, request, now);
  features_.early.started(request, *job, run_.reference(home), now);
  check_ended(*job, request, now);
  orders_.started(*job, request);
  shares_.started(*job, request);
  features_.newcomers.started(*job, run_.cluster().now());
  features_.weights.started(*job);
  check_attempt(*job, request);
  ++job->starts;
}

bool AttemptChecks::starts_after_recreation(const AttemptRequest& request) {
  if (!run_.rules().recreated) return false;
  run_.rules().check(Rule::kRecreated,
                     !run_.settings().recreates_queue || run_.settings().recreates_state ||
                         request.account != kNewTopicsAccount,
                     [&] { return request.id + " runs, of a topic that the state is not of"; });
  return true;
}

// An item for which an equal one stands fails with it, unseen.
void AttemptChecks::check_attempt(const Job& job, const AttemptRequest& request) {
  if (job.type == kMergedType) return;
  run_.rules().check(Rule::kAttempts, request.attempt <= 1 + job.failures, [&] {
    return name_of(job) + " starts attempt " + std::to_string(request.attempt) + " after " +
           std::to_string(job.failures) + " failures";
  });
}

void AttemptChecks::check_times(const Job& job, const AttemptRequest& request, Now now) {
  if (job.reruns > 0 || run_.may_be_forgotten(job)) return;
  if (job.run_at && !job.rescheduled) {
    run_.rules().check(Rule::kNotEarly, now.wall >= *job.run_at,
                       [&] { return name_of(job) + " starts before its run_at"; });
  }
  if (job.failed_attempt > 0 && request.attempt == job.failed_attempt + 1 && !job.rescheduled) {
    run_.rules().check(Rule::kRetryTime, now.wall >= job.retry_from, [&] {
      return name_of(job) + " starts attempt " + std::to_string(request.attempt) +
             " before its backoff ends";
    });
  }
  if (job.expires_at && job.starts == 0) {
    run_.rules().check(Rule::kExpired, now.wall < *job.expires_at,
                       [&] { return name_of(job) + " starts after it has expired"; });
  }
}

void AttemptChecks::check_ended(const Job& job, const AttemptRequest& request, Now now) {
  if (job.reruns > 0) return;
  const std::int64_t epoch = request.key.token.epoch;
  if (job.ends > 0 && job.ended_in <= epoch) {
    const bool forgotten =
        run_.settings().short_window && job.repeats > 0 &&
        now.wall + kClocksDiffer >= job.ended_at + run_.settings().queue.dedup_window;
    run_.rules().check(Rule::kDedup, forgotten,
                       [&] { return name_of(job) + " has ended and runs again"; });
  }
  if (job.cancelled_in && !run_.may_be_forgotten(job)) {
    run_.rules().check(Rule::kCancel, *job.cancelled_in > epoch,
                       [&] { return name_of(job) + " was cancelled and runs"; });
  }
}

void AttemptChecks::outcome(const AttemptRequest& request, const OutcomeValue& outcome,
                            const ItemOutcomes& items, Now now) {
  const std::vector<AttemptRequest> jobs = jobs_of(request);
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    job_outcome(jobs[i], i < items.size() && items[i] ? *items[i] : outcome, now);
  }
  features_.groups.outcome(request, outcome);
}

void AttemptChecks::job_outcome(const AttemptRequest& request, const OutcomeValue& outcome,
                                Now now) {
  Job* const job = run_.model().find(request.account, request.id);
  if (!job) return;
  features_.breakers.outcome(request, outcome, now, run_.cluster().now());
  features_.long_jobs.outcome(request, *job, run_.reference(job->partition), outcome, now);
  if (const auto* const next = std::get_if<NextIteration>(&outcome)) {
    features_.crashes.told(request, next->cursor, true);
  }
  const auto* const failed = std::get_if<RetryLater>(&outcome);
  if (failed) job_failed(request, *failed, *job, now);
  features_.early.outcome(request, *job, run_.reference(job->partition), outcome, now);
  const bool discarded =
      features_.errors.outcome(request, outcome, run_.settings().type.retry.attempts);
  if (discarded || std::holds_alternative<Done>(outcome) ||
      std::holds_alternative<Discard>(outcome) || std::holds_alternative<CancelJob>(outcome) ||
      (failed && request.attempt >= run_.settings().type.retry.attempts)) {
    job->outcome_terminal = true;
  }
}

void AttemptChecks::job_failed(const AttemptRequest& request, const RetryLater& failure, Job& job,
                               Now now) {
  ++job.failures;
  const RetryPolicy& policy = run_.settings().type.retry;
  double wait = static_cast<double>(policy.base.count());
  for (int i = 1; i < request.attempt && policy.backoff == Backoff::kExponential; ++i) {
    wait *= policy.factor;
  }
  wait = std::min(wait, static_cast<double>(policy.max.count())) * (1 - policy.jitter);
  job.failed_attempt = request.attempt;
  job.retry_from = now.wall + failure.in.value_or(Duration(static_cast<std::int64_t>(wait)));
}

// Its time was over, which is a failure; or its owner has lost the partition, which is none.
void AttemptChecks::killed(const AttemptRequest& request) {
  for (const AttemptRequest& one : jobs_of(request)) {
    if (Job* const job = run_.model().find(one.account, one.id)) ++job->failures;
  }
}

void AttemptChecks::unheard(const AttemptKey& key) {
  features_.early.unheard(key);
  features_.groups.unheard(key);
  features_.crashes.unheard(key);
}

void AttemptChecks::hidden(std::size_t host, const AttemptKey& key, const std::string& account) {
  running_.hidden(host, key, account);
  features_.life.hidden(host, key);
  features_.limits.hidden(host, key, account);
  features_.batches.hidden(host, key);
  features_.unique.hidden(host, key);
  features_.shared.hidden(host, key);
  features_.replays.hidden(host, key);
  features_.breakers.hidden(key, account);
  features_.newcomers.hidden(account, run_.cluster().now());
}

void AttemptChecks::shown_again(std::size_t host, const AttemptKey& key,
                                const std::string& account) {
  running_.shown(host, key, account);
  features_.life.shown(host, key);
  features_.limits.shown(host, key, account, run_.cluster().now());
  features_.batches.shown(host, key);
  features_.unique.shown(host, key);
  features_.shared.shown(host, key);
  features_.replays.shown(host, key);
  features_.breakers.shown(key, account);
}

}  // namespace penstock::simulation
