#include "tests/simulation/checks/batches/group_checks.h"

#include <algorithm>

#include "tests/simulation/checks/batches/batch_checks.h"

namespace penstock::simulation {
namespace {

// What has ended, or what somebody has said of it alone, is with the others no longer.
bool is_excused(const Job& job) {
  return job.ends > 0 || job.outcome_terminal || job.commanded || job.expires_at || job.deaths > 0;
}

bool has(const std::vector<const Job*>& jobs, const Job* job) {
  return std::find(jobs.begin(), jobs.end(), job) != jobs.end();
}

}  // namespace

TypePolicy led_policy(const TypePolicy& base) {
  TypePolicy led = base;
  led.batch = batch_of(kLedType);
  led.limits = {{parse_limit_name("led/{account}").value(), 2, {}, 1}};
  led.unique = UniquePolicy{
      {parse_json_pointer("/k").value()}, UniqueScope::kRunning, OnConflict::kDrop, Duration(0)};
  return led;
}

std::vector<const Job*> GroupChecks::jobs_of(const AttemptRequest& request) {
  std::vector<const Job*> jobs;
  for (const std::string& id : ids_of(request)) {
    if (const Job* const job = model_.find(request.account, id)) jobs.push_back(job);
  }
  return jobs;
}

void GroupChecks::started(const AttemptRequest& request) {
  if (request.type != kLedType) return;
  const std::vector<const Job*> jobs = jobs_of(request);
  for (const Job* const job : jobs) {
    const auto found = groups_.find(job);
    if (found == groups_.end() || is_excused(*job)) continue;
    const std::shared_ptr<Group> group = found->second;
    for (const Job* const one : group->jobs) groups_.erase(one);
    if (group->by.token.epoch != request.key.token.epoch) continue;
    const auto says = [&](const Job* of, const char* what) {
      return name_of(*of) + what + "the batch of " + name_of(*group->jobs.front());
    };
    // In strict order, by a job that is not handed over again, now or before: it is still between
    // the others in the account's line.
    bool is_cut = cut_.contains(request.account);
    for (const Job* const one : group->jobs) {
      is_cut = is_cut || (strict_ && is_excused(*one) && !has(jobs, one));
      rules_.check(
          Rule::kBatchWhole,
          has(jobs, one) || is_excused(*one) || is_cut || copied_.contains(request.account),
          [&] { return says(one, " is not handed over again with "); });
    }
    if (is_cut) cut_.insert(request.account);
    for (const Job* const one : jobs) {
      rules_.check(Rule::kBatchWhole, has(group->jobs, one),
                   [&] { return says(one, " has come into "); });
    }
    rules_.check(Rule::kCursor, request.cursor == group->cursor, [&] {
      return name_of(*job) + " and its batch begin with the cursor " + request.cursor + ", not " +
             group->cursor;
    });
  }
}

void GroupChecks::copies_started(const AttemptRequest& request) {
  if (request.type == kLedType) copied_.insert(request.account);
}

void GroupChecks::outcome(const AttemptRequest& request, const OutcomeValue& outcome) {
  if (request.type != kLedType) return;
  const auto* const next = std::get_if<NextIteration>(&outcome);
  if (!next && !std::holds_alternative<RetryLater>(outcome)) return;
  const auto group = std::make_shared<Group>(
      Group{request.key, jobs_of(request), next ? next->cursor : request.cursor});
  for (const Job* const job : group->jobs) groups_[job] = group;
}

void GroupChecks::unheard(const AttemptKey& key) {
  std::erase_if(groups_, [&](const auto& entry) { return entry.second->by == key; });
}

}  // namespace penstock::simulation
