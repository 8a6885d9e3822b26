#include "tests/simulation/checks/batches/batch_checks.h"

#include "tests/simulation/checks/batches/size_checks.h"

namespace penstock::simulation {
namespace {

// Hosts' clocks run up to 1 % too fast, and a wall clock is cut to the millisecond.
std::chrono::nanoseconds at_least(Duration delay) { return delay * 98 / 100 - Duration(2); }
// When nothing fails: what the free places of all may cost.
constexpr Duration kTurnComes{6'000};

bool comes_first(const Job& a, const Job& b, Order order) {
  if (order == Order::kFair && a.priority != b.priority) return a.priority < b.priority;
  return a.offset < b.offset;
}

}  // namespace

BatchPolicy batch_of(std::string_view type) {
  if (type == kStreamType) return {.max = 1000, .delay = kStreamDelay};
  if (type == kMergedType)
    return {.max = kGatheredMost, .collect = Collect::kSet, .delay = kMergedDelay};
  if (type == kSizedType) return {.max = kSizedMost, .target = kSizedTarget};
  if (type == kLedType) return {.max = kGatheredMost, .delay = kLedDelay};
  return {.max = kGatheredMost, .delay = kGatheredDelay, .on_error = OnBatchError::kSplit};
}

std::vector<std::string> ids_of(const AttemptRequest& request) {
  if (request.items.empty()) return {request.id};
  std::vector<std::string> ids;
  for (const AttemptItem& item : request.items) ids.push_back(item.id);
  return ids;
}

void BatchChecks::started(std::size_t host, const AttemptRequest& request, Instant at) {
  if (request.items.empty()) return;
  std::vector<Job*> items;
  for (const AttemptItem& item : request.items) {
    Job* const job = model_.find(request.account, item.id);
    if (job) items.push_back(job);
  }
  attempts_[{host, request.key}] = items;
  shown(host, request.key);
  if (request.type == kLedType) return;  // what else they need says when and beside whom they start
  check_order(items);
  check_delay(request, items, at);
  if (request.account == kStreamAccount) check_ceiling(items, at);
  if (request.type == kMergedType) check_set(request);
}

void BatchChecks::shown(std::size_t host, const AttemptKey& key) {
  const auto found = attempts_.find({host, key});
  if (found == attempts_.end()) return;
  for (Job* const job : found->second) {
    auto& here = running_[job];
    here.emplace(host, key);
    rules_.check(Rule::kBatchOnce, here.size() == 1, [&] {
      return name_of(*job) + " is an item of " + std::to_string(here.size()) + " attempts that run";
    });
  }
}

void BatchChecks::hidden(std::size_t host, const AttemptKey& key) {
  const auto found = attempts_.find({host, key});
  if (found == attempts_.end()) return;
  for (Job* const job : found->second) running_[job].erase({host, key});
}

// Within the batch, and behind those that were there first.
void BatchChecks::check_order(const std::vector<Job*>& items) {
  const Order order = settings_.queue.order;
  if (order == Order::kReady) return;
  for (std::size_t i = 1; i < items.size(); ++i) {
    rules_.check(Rule::kBatchOrder, comes_first(*items[i - 1], *items[i], order), [&] {
      return name_of(*items[i]) + " is handed over behind " + name_of(*items[i - 1]) +
             ", which came later";
    });
  }
  for (const Job* const job : items) {
    if (job->type == kMergedType || job->starts > 0 || job->commanded) continue;
    for (const Job* const other : model_.line(job->account)) {
      if (other->offset >= job->offset) break;
      if (other->type != job->type || other->commanded || other->expires_at || other->ends > 0)
        continue;
      if (other->priority != job->priority || other->bulk_id != job->bulk_id) continue;
      const bool together = std::find(items.begin(), items.end(), other) != items.end();
      rules_.check(Rule::kBatchOrder, together || other->starts > 0, [&] {
        return name_of(*job) + " starts before " + name_of(*other) + ", which was there first";
      });
    }
  }
}

// A batch of jobs that start for the first time, collected by one owner, and not full.
void BatchChecks::check_delay(const AttemptRequest& request, const std::vector<Job*>& items,
                              Instant at) {
  const BatchPolicy policy = batch_of(request.type);
  if (settings_.queue.order == Order::kStrict || static_cast<int>(items.size()) >= policy.max)
    return;
  for (const Job* const job : items) {
    if (job->starts > 0 || job->commanded) return;
  }
  for (const Job* const job : items) {
    if (appended_in_[job].value != request.key.token.epoch) continue;
    const auto ceiling = kMaxBatchDelays * policy.delay * 98 / 100;
    if (at - items.front()->appended >= ceiling) continue;
    rules_.check(Rule::kBatchDelay, at - job->appended >= at_least(policy.delay), [&] {
      return name_of(*job) + " is handed over " +
             std::to_string(std::chrono::duration_cast<Duration>(at - job->appended).count()) +
             " ms after it came";
    });
  }
}

void BatchChecks::check_ceiling(const std::vector<Job*>& items, Instant at) {
  for (const Job* const job : items) {
    if (job->starts > 0) continue;
    rules_.check(
        Rule::kBatchCeiling, at - job->appended <= kMaxBatchDelays * kStreamDelay + kTurnComes,
        [&] {
          return name_of(*job) + " was collected for " +
                 std::to_string(std::chrono::duration_cast<Duration>(at - job->appended).count()) +
                 " ms";
        });
  }
}

void BatchChecks::check_set(const AttemptRequest& request) {
  std::set<std::string> args;
  for (const AttemptItem& item : request.items) {
    rules_.check(Rule::kSetOnce, args.insert(item.args).second,
                 [&] { return request.account + " is handed " + item.args + " twice at once"; });
  }
}

// What is folded is not seen to run, so this is of the others.
void BatchChecks::ended(const Job& job) {
  if (!has_batches(job.type) || job.type == kMergedType) return;
  if (job.commanded || job.expires_at || job.repeats > 0) return;
  rules_.check(Rule::kItemAnswer, job.outcome_terminal,
               [&] { return name_of(job) + " ends, but no answer has said so"; });
}

}  // namespace penstock::simulation
