#include "tests/simulation/checks/flow/ready_checks.h"

#include <algorithm>
#include <optional>
#include <string>

namespace penstock::simulation {
namespace {

constexpr std::uint64_t kLookedAtEvery = 16;
// What a gate that is closed unseen, between two looks, may take from the figure: an idle loop passes
// every 200 ms.
constexpr Duration kBound{kLookedAtEvery * 200};

// No condition concerns it, however often its type's jobs fail.
bool is_plain(const TypePolicy& policy) {
  return policy.limits.empty() && !policy.batch && !policy.unique && !policy.retry.breaker;
}

std::string text_of(const std::optional<Time>& time) {
  return time ? std::to_string(to_ms(*time)) : "nothing";
}

}  // namespace

void ReadyChecks::passed(Loop& loop, Now now) {
  if (++passes_ % kLookedAtEvery != 0) return;
  for (const PartitionId partition : loop.partitions()) {
    Tenure* const tenure = loop.tenure(partition);
    if (!tenure || !tenure->runs() || !tenure->task() || tenure->restoring()) continue;
    look(partition, *tenure, loop.control(), now);
  }
}

void ReadyChecks::look(PartitionId partition, Tenure& tenure, const Control& control, Now now) {
  Task& task = *tenure.task();
  const std::optional<Time> since = task.oldest_ready(now);
  std::optional<Time> admitted;  // the first of all that wait
  std::optional<Time> first;     // of those whose turn it may be
  std::map<Job, Time> still;
  const std::int64_t epoch = tenure.owner().epoch().value;
  // What was killed may run on for a while.
  const bool free = tenure.owner().may_start(now) && !tenure.leaving() &&
                    !tenure.attempts().killed_run() && !settings_.killer && !settings_.survivor &&
                    !control.has_pauses();
  task.queries().each_job(now, [&](const JobInfo& info) {
    if (is_terminal(info.state) || info.state == JobState::kRunning) return true;
    if (!admitted || info.row.admitted_at < *admitted) admitted = info.row.admitted_at;
    const TypeRuntime* const type = types_.find(info.row.type);
    if (!free || info.state != JobState::kReady || !type || !is_plain(type->policy) ||
        info.row.is_copy() || info.row.run_at > now.wall ||
        tenure.attempts().awaits_notice(info.row, task.input_next()))
      return true;
    // An operator may have it run now, which makes it ready anew.
    const Time ready_at = std::max(info.row.started_at, info.row.run_at);
    const Job job{partition, epoch, info.row.account, info.row.id, ready_at};
    const auto before = seen_.find(job);
    const Time at = before == seen_.end() ? now.wall : before->second;
    still.emplace(job, at);
    if (!first || at < *first) first = at;
    return true;
  });
  std::erase_if(seen_, [&](const auto& seen) { return std::get<0>(seen.first) == partition; });
  seen_.merge(still);
  // Jobs that leave no room for their account count for a while after they have started.
  const bool all_in_memory = settings_.max_flows == Lines::kMaxFlows;
  rules_.check(Rule::kOldestReady, !since || !all_in_memory || (admitted && *since >= *admitted),
               [&] {
                 return "a job is said to have been ready since " + text_of(since) +
                        ", and the first that waits was admitted at " + text_of(admitted);
               });
  if (!first || *first + kBound >= now.wall) return;
  rules_.check(Rule::kOldestReady, since && *since <= *first + kBound, [&] {
    return "a job has been ready since " + text_of(first) + ", and the figure says since " +
           text_of(since);
  });
}

}  // namespace penstock::simulation
