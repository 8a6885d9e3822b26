// Checker: what may start, when, and beside what.
#include "tests/simulation/checker.h"
#include "topics/partitioner.h"

namespace penstock::simulation {
namespace {

constexpr Duration kClocksDiffer{4000};  // hosts' clocks drift by 1 % over a run
// Of two flows alike each is served at most twice between two services of the other; and the oldest
// flow's turn, which comes every tenth time, may be the other's.
constexpr std::uint64_t kMostHeavyStarts = 3 * 2 + 1;
// A new owner begins the turns anew, and what ran may have its turn again.
constexpr std::uint64_t kMoreByOwner = 2;

std::uint64_t most_heavy_starts(std::size_t owners) {
  return kMostHeavyStarts + kMoreByOwner * (owners > 1 ? owners - 1 : 0);
}

// The requests of a batch's items, as if each were handed over alone.
std::vector<AttemptRequest> jobs_of(const AttemptRequest& request) {
  if (request.items.empty()) return {request};
  std::vector<AttemptRequest> jobs;
  for (const AttemptItem& item : request.items) {
    AttemptRequest& job = jobs.emplace_back(request);
    job.id = item.id;
    job.args = item.args;
    job.attempt = item.attempt;
    job.items.clear();
  }
  return jobs;
}

}  // namespace

void Checker::started(std::size_t host, const AttemptRequest& request, Now now) {
  if (rules_.broken) return;
  std::string& last = last_token_[request.account];
  const std::string token = request.key.token.text();
  rules_.check(Rule::kTokensGrow, token > last,
               [&] { return request.account + " starts " + token + " after " + last; });
  last = token;
  rules_.check(Rule::kTokensDiffer, tokens_.insert(token).second,
               [&] { return request.account + " starts " + token + ", as another attempt has"; });
  show(host, request.key, request.account);
  limits_.started(host, request, now, cluster_.now());
  batches_.started(host, request, cluster_.now());
  sizes_.started(request, *references_[static_cast<std::size_t>(request.key.partition)]);
  life_.started(host, request, cluster_.now());
  groups_.started(request);
  for (const AttemptRequest& job : jobs_of(request)) {
    say("host " + std::to_string(host) + " starts " + job.account + "/" + job.id + " attempt " +
        std::to_string(job.attempt) + " epoch " + std::to_string(job.key.token.epoch));
    job_started(host, job, now);
  }
}

void Checker::job_started(std::size_t host, const AttemptRequest& request, Now now) {
  Job* const job = model_.find(request.account, request.id);
  rules_.check(Rule::kNoPhantom, job != nullptr, [&] {
    return request.account + "/" + request.id + " runs, but no record asks for it";
  });
  if (!job) return;
  const PartitionId home = partition_of(job->account, settings_.queue.partitions);
  rules_.check(Rule::kRightPartition, request.key.partition == home,
               [&] { return name_of(*job) + " runs in the wrong partition"; });
  unique_.started(host, request, *job);
  shared_.started(host, request);
  breakers_.started(request, *references_[static_cast<std::size_t>(home)], job->starts == 0, now,
                    cluster_.now());
  errors_.started(request, job->reruns == 0 && !may_be_forgotten(*job));
  long_.started(request, *job, *references_[static_cast<std::size_t>(home)], now);
  crashes_.started(request, *job, *references_[static_cast<std::size_t>(home)]);
  check_times(*job, request, now);
  early_.started(request, *job, *references_[static_cast<std::size_t>(home)], now);
  check_ended(*job, request, now);
  check_order(*job);
  if (settings_.queue.order == Order::kReady) check_ready_order(*job, request);
  if (settings_.queue.order == Order::kFair) check_fair_order(*job, request);
  check_fair(*job, request);
  check_bulk_share(*job, request);
  newcomers_.started(*job, cluster_.now());
  weights_.started(*job);
  check_attempt(*job, request);
  ++job->starts;
}

// An item for which an equal one stands fails with it, unseen.
void Checker::check_attempt(const Job& job, const AttemptRequest& request) {
  if (job.type == kMergedType) return;
  rules_.check(Rule::kAttempts, request.attempt <= 1 + job.failures, [&] {
    return name_of(job) + " starts attempt " + std::to_string(request.attempt) + " after " +
           std::to_string(job.failures) + " failures";
  });
}

void Checker::show(std::size_t host, const AttemptKey& key, const std::string& account) {
  auto& here = running_[account];
  here.emplace(host, key);
  const auto most = static_cast<std::size_t>(settings_.queue.account_concurrency);
  rules_.check(Rule::kNoOverlap, here.size() <= most, [&] {
    std::string hosts;
    for (const auto& [other, attempt] : here) {
      hosts += " host " + std::to_string(other) + " epoch " + std::to_string(attempt.token.epoch);
    }
    return std::to_string(here.size()) + " attempts of " + account + " run at once:" + hosts;
  });
}

void Checker::hidden(std::size_t host, const AttemptKey& key, const std::string& account) {
  running_[account].erase({host, key});
  life_.hidden(host, key);
  limits_.hidden(host, key, account);
  batches_.hidden(host, key);
  unique_.hidden(host, key);
  shared_.hidden(host, key);
  breakers_.hidden(key, account);
  newcomers_.hidden(account, cluster_.now());
}

void Checker::shown_again(std::size_t host, const AttemptKey& key, const std::string& account) {
  show(host, key, account);
  life_.shown(host, key);
  limits_.shown(host, key, account, cluster_.now());
  batches_.shown(host, key);
  unique_.shown(host, key);
  shared_.shown(host, key);
  breakers_.shown(key, account);
}

void Checker::check_times(const Job& job, const AttemptRequest& request, Now now) {
  if (job.reruns > 0 || may_be_forgotten(job)) return;
  if (job.run_at && !job.rescheduled) {
    rules_.check(Rule::kNotEarly, now.wall >= *job.run_at,
                 [&] { return name_of(job) + " starts before its run_at"; });
  }
  if (job.failed_attempt > 0 && request.attempt == job.failed_attempt + 1 && !job.rescheduled) {
    rules_.check(Rule::kRetryTime, now.wall >= job.retry_from, [&] {
      return name_of(job) + " starts attempt " + std::to_string(request.attempt) +
             " before its backoff ends";
    });
  }
  if (job.expires_at && job.starts == 0) {
    rules_.check(Rule::kExpired, now.wall < *job.expires_at,
                 [&] { return name_of(job) + " starts after it has expired"; });
  }
}

void Checker::check_ended(const Job& job, const AttemptRequest& request, Now now) {
  if (job.reruns > 0) return;
  const std::int64_t epoch = request.key.token.epoch;
  if (job.ends > 0 && job.ended_in <= epoch) {
    const bool forgotten = settings_.short_window && job.repeats > 0 &&
                           now.wall + kClocksDiffer >= job.ended_at + settings_.queue.dedup_window;
    rules_.check(Rule::kDedup, forgotten,
                 [&] { return name_of(job) + " has ended and runs again"; });
  }
  if (job.cancelled_in && !may_be_forgotten(job)) {
    rules_.check(Rule::kCancel, *job.cancelled_in > epoch,
                 [&] { return name_of(job) + " was cancelled and runs"; });
  }
}

void Checker::check_order(const Job& job) {
  if (job.reruns > 0 || job.ends > 0) return;
  const bool strict = settings_.queue.order == Order::kStrict;
  for (const Job* const earlier : model_.line(job.account)) {
    if (earlier->offset >= job.offset) break;
    if (earlier->ends > 0 || earlier->expires_at || earlier->reruns > 0) continue;
    if (strict && (earlier->plain || earlier->run_at)) {
      if (earlier->rescheduled || !earlier->plain) continue;
      rules_.check(Rule::kStrictOrder, earlier->outcome_terminal, [&] {
        return name_of(job) + " starts before " + name_of(*earlier) + " has ended";
      });
    } else if (settings_.queue.order == Order::kCreated && earlier->plain && job.plain &&
               job.starts == 0) {
      rules_.check(Rule::kOrder, earlier->starts > 0, [&] {
        return name_of(job) + " starts before " + name_of(*earlier) + ", which was there first";
      });
    }
  }
}

// Among the account's jobs that this owner has taken, none with an earlier run_at still waits.
void Checker::check_ready_order(const Job& job, const AttemptRequest& request) {
  const Reference& reference = *references_[static_cast<std::size_t>(job.partition)];
  if (job.starts > 0 || !job.run_at || job.commanded || !job.unique_key.empty()) return;
  if (job.type == kLedType) return;
  if (reference.epoch().value > request.key.token.epoch) return;
  for (const Job* const other : model_.line(job.account)) {
    if (other == &job || !other->run_at || *other->run_at >= *job.run_at) continue;
    if (!other->unique_key.empty() || other->type == kLedType) continue;
    if (other->offset.value >= reference.input_next() || other->expires_at || other->commanded ||
        other->ends > 0) {
      continue;
    }
    rules_.check(Rule::kReadyOrder, other->starts > 0, [&] {
      return name_of(job) + " starts before " + name_of(*other) + ", which was ready first";
    });
  }
}

// The story at the end: an account with three jobs comes behind one with many. A job that starts
// again because its owner was lost is not served twice.
void Checker::check_fair(const Job& job, const AttemptRequest& request) {
  if (settings_.max_flows != Lines::kMaxFlows) return;  // an account that is not there has no share
  const bool either = job.account == light_account_ || job.account == "heavy";
  if (!light_account_.empty() && either) light_owners_.insert(request.key.token.epoch);
  const auto most = static_cast<std::size_t>(settings_.queue.account_concurrency);
  const bool light_waits = !light_account_.empty() && running_[light_account_].size() < most;
  if (light_waits && job.starts == 0 && job.id.starts_with("heavy-")) ++heavy_starts_;
  if (job.id != "light-2" || job.starts > 0) return;
  const std::uint64_t allowed = most_heavy_starts(light_owners_.size());
  rules_.check(Rule::kFair, heavy_starts_ <= allowed, [&] {
    return "three jobs of one account waited for " + std::to_string(heavy_starts_) +
           " jobs of another";
  });
}

// Among the chunks of a bulk (or an account's jobs without one) that this owner has taken, none
// before it waits.
void Checker::check_fair_order(const Job& job, const AttemptRequest& request) {
  const Reference& reference = *references_[static_cast<std::size_t>(job.partition)];
  if (job.starts > 0 || !job.plain || reference.epoch().value > request.key.token.epoch) return;
  for (const Job* const other : model_.line(job.account)) {
    if (other == &job || other->bulk_id != job.bulk_id || !other->plain || other->ends > 0)
      continue;
    if (other->offset.value >= reference.input_next()) continue;
    if (std::pair(other->priority, other->offset) >= std::pair(job.priority, job.offset)) continue;
    rules_.check(Rule::kFairOrder, other->starts > 0, [&] {
      return name_of(job) + " starts before " + name_of(*other) + ", which comes first in its bulk";
    });
  }
}

void Checker::check_bulk_share(const Job& job, const AttemptRequest& request) {
  if (small_waits_ && job.account == "bulky") small_owners_.insert(request.key.token.epoch);
  if (small_waits_ && job.starts == 0 && job.bulk_id == "great") ++great_starts_;
  if (job.id != "small-2" || job.starts > 0) return;
  const std::uint64_t allowed = most_heavy_starts(small_owners_.size());
  rules_.check(Rule::kBulkShare, great_starts_ <= allowed, [&] {
    return "three chunks of one bulk waited for " + std::to_string(great_starts_) + " of another";
  });
}

void Checker::outcome(const AttemptRequest& request, const OutcomeValue& outcome,
                      const ItemOutcomes& items, Now now) {
  const std::vector<AttemptRequest> jobs = jobs_of(request);
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    job_outcome(jobs[i], i < items.size() && items[i] ? *items[i] : outcome, now);
  }
  groups_.outcome(request, outcome);
}

// Its time was over, which is a failure; or its owner has lost the partition, which is none.
void Checker::killed(const AttemptRequest& request) {
  for (const AttemptRequest& one : jobs_of(request)) {
    if (Job* const job = model_.find(one.account, one.id)) ++job->failures;
  }
}

void Checker::job_outcome(const AttemptRequest& request, const OutcomeValue& outcome, Now now) {
  Job* const job = model_.find(request.account, request.id);
  if (!job) return;
  breakers_.outcome(request, outcome, now, cluster_.now());
  long_.outcome(request, *job, *references_[static_cast<std::size_t>(job->partition)], outcome,
                now);
  if (const auto* const next = std::get_if<NextIteration>(&outcome)) {
    crashes_.told(request, next->cursor, true);
  }
  const auto* const failed = std::get_if<RetryLater>(&outcome);
  if (failed) {
    ++job->failures;
    const RetryPolicy& policy = settings_.type.retry;
    double wait = static_cast<double>(policy.base.count());
    for (int i = 1; i < request.attempt && policy.backoff == Backoff::kExponential; ++i) {
      wait *= policy.factor;
    }
    wait = std::min(wait, static_cast<double>(policy.max.count())) * (1 - policy.jitter);
    job->failed_attempt = request.attempt;
    job->retry_from = now.wall + failed->in.value_or(Duration(static_cast<std::int64_t>(wait)));
  }
  early_.outcome(request, *job, *references_[static_cast<std::size_t>(job->partition)], outcome,
                 now);
  const bool discarded = errors_.outcome(request, outcome, settings_.type.retry.attempts);
  if (discarded || std::holds_alternative<Done>(outcome) ||
      std::holds_alternative<Discard>(outcome) || std::holds_alternative<CancelJob>(outcome) ||
      (failed && request.attempt >= settings_.type.retry.attempts)) {
    job->outcome_terminal = true;
  }
}

}  // namespace penstock::simulation
