#include "tests/simulation/checks/replays/pace_checks.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "tests/simulation/settings.h"
#include "topics/partitioner.h"
#include "topics/values/rfc3339.h"

namespace penstock::simulation {
namespace {

constexpr std::size_t kLooksBack = 64;
constexpr std::int64_t kLeastEnded = 10;  // that a part of is too many
constexpr std::size_t kDeadEnd = end_of(JobState::kDead);

bool has_too_many_dead(const ReplayTerms& terms, const ReplayRow& row) {
  if (!terms.max_dead) return false;
  const auto dead = static_cast<double>(row.counts.ended[kDeadEnd] - row.base_dead);
  const std::int64_t ended = row.counts.all_ended() - row.base_ended;
  return dead > *terms.max_dead / 100 * static_cast<double>(std::max(ended, kLeastEnded));
}

std::int64_t records_beside(const ReplayRecord& record, PartitionId partition) {
  const auto partitions = static_cast<int>(record.ranges.size());
  std::set<PartitionId> homes;
  for (const std::string& account : record.terms.accounts)
    homes.insert(partition_of(account, partitions));
  if (!homes.contains(partition)) return record.records();
  std::int64_t all = 0;
  for (const PartitionId home : homes)
    all += record.ranges[static_cast<std::size_t>(home)].records();
  return all;
}

}  // namespace

void PaceChecks::said(const ReplayPlan& plan) {
  if (plan.record.state != ReplayState::kRunning) paused_.insert({&plan, plan.record.resumes});
}

// A partition's part of the rate is that of its records among those of all partitions that share it:
// of the selected accounts', where accounts are selected. Copies that came from other partitions are
// not its own.
void PaceChecks::event(const CommitFacts& facts, const Produced& message) {
  const auto json = nlohmann::json::parse(message.value.value_or(""), nullptr, false);
  if (!json.is_object() || json["event"] != "admitted") return;
  const std::string account = json["account"], id = json["id"];
  const auto found = book_.copies.find(identity_digest(account, id));
  if (found == book_.copies.end() || found->second.sent > 0 || found->second.twins > 0) return;
  const ReplayPlan* const plan = found->second.only_plan();
  if (!plan || !plan->record.terms.rate) return;
  const Rate rate = *plan->record.terms.rate;
  const auto at = static_cast<std::size_t>(facts.partition);
  const double part = static_cast<double>(plan->record.ranges[at].records()) /
                      static_cast<double>(records_beside(plan->record, facts.partition));
  const double every = static_cast<double>(rate.period.count()) / rate.count / part;
  const int burst = std::max(1, static_cast<int>(default_burst(rate) * part));
  std::deque<Time>& made = made_[{plan, facts.partition, facts.epoch.value}];
  made.push_back(parse_rfc3339(json["at"].get<std::string>()).value());
  if (made.size() > kLooksBack) made.pop_front();
  // From each one back to this one: no more than the burst and what the time since has permitted.
  for (std::size_t i = 0; i + 1 < made.size(); ++i) {
    const auto time = static_cast<double>((made.back() - made[i]).count() + 1);
    const auto most = burst + static_cast<std::int64_t>(time / every);
    const auto many = static_cast<std::int64_t>(made.size() - i);
    run_.rules().check(Rule::kReplayRate, many <= most, [&] {
      return name_of(facts) + " has " + std::to_string(many) + " copies of " + plan->name +
             " that were made within " + std::to_string(time) + " ms, one is to be made in " +
             std::to_string(every) + " ms";
    });
  }
}

// That a partition has seen too many of its copies die.
void PaceChecks::told(const CommitFacts& facts, const Produced& message) {
  if (!message.key || !message.value || is_replay_report_key(*message.key)) return;
  const Result<ReplayRecord> said = parse_replay_record(*message.value);
  if (!said || said->reason.find("max_dead") == std::string::npos) return;
  const std::string name = message.key->substr(message.key->rfind('/') + 1);
  const ReplayRow row = replay_row(run_.reference(facts.partition).store(), name);
  const auto dead = static_cast<double>(row.counts.ended[kDeadEnd] - row.base_dead);
  const double least = said->terms.max_dead.value_or(100) / 100 * kLeastEnded;
  // Some that have died may run again since, by a command.
  const bool runs_again = std::any_of(
      book_.copies.begin(), book_.copies.end(),
      [&](const auto& entry) { return entry.second.replay == name && entry.second.reruns > 0; });
  const bool counted =
      row.started_at == said->started_at && row.resumes == said->resumes && !runs_again;
  run_.rules().check(Rule::kMaxDead, !counted || dead > least, [&] {
    return name_of(facts) + " pauses " + name + " for " + std::to_string(dead) + " dead copies";
  });
}

void PaceChecks::committed(const CommitFacts& facts, const ReplayPlan& plan, const ReplayRow& row) {
  static_cast<void>(facts);
  if (has_too_many_dead(plan.record.terms, row)) too_many_dead_.insert({&plan, row.resumes});
}

// By an owner that has counted the dead itself, of a replay that nobody has resumed since.
void PaceChecks::started(const Copy& copy, const AttemptRequest& request) {
  const ReplayPlan* const plan = book_.find(copy.replay);
  if (!plan || plan->deleted || !plan->record.terms.max_dead) return;
  const Reference& reference = run_.reference(copy.home);
  const ReplayRow row = replay_row(reference.store(), copy.replay);
  if (reference.epoch().value != request.key.token.epoch) return;
  if (row.started_at != plan->record.started_at || row.resumes != plan->record.resumes) return;
  run_.rules().check(Rule::kMaxDead, !has_too_many_dead(plan->record.terms, row), [&] {
    return name_of(copy) + " starts, though " + std::to_string(row.counts.ended[kDeadEnd]) +
           " copies of the partition are dead";
  });
}

void PaceChecks::check_end() {
  for (const auto& [plan, resumes] : too_many_dead_) {
    if (plan->deleted) continue;
    run_.rules().check(Rule::kMaxDead, paused_.contains({plan, resumes}), [&] {
      return "too many copies of " + plan->name + " have died, and it has not paused itself";
    });
  }
}

}  // namespace penstock::simulation
