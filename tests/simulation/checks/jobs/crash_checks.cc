#include "tests/simulation/checks/jobs/crash_checks.h"

#include "tests/simulation/checks/jobs/long_checks.h"

namespace penstock::simulation {
namespace {

constexpr int kMaxDeaths = 3;

}  // namespace

bool CrashChecks::knows(const Job& job, const Count& count) const {
  return !count.unsure && job.reruns == 0 && !(settings_.short_window && job.repeats > 0);
}

bool CrashChecks::is_beyond(const Place& place, const Place& before) {
  return place.iterations > (place.epoch == before.epoch ? before.iterations : 0);
}

void CrashChecks::told(const AttemptRequest& request, const std::string& cursor,
                       bool ends_iteration) {
  const Job* const job = model_.find(request.account, request.id);
  if (!job || !iterates(job->type)) return;
  Count& count = counts_[job];
  const std::int64_t epoch = request.key.token.epoch;
  if (epoch < count.last_told.epoch) return;  // a displaced owner's last
  if (epoch > count.last_told.epoch) count.last_told = {epoch, 0};
  if (ends_iteration) ++count.last_told.iterations;
  count.told[cursor] = count.last_told;
  count.by = request.key;
}

void CrashChecks::unheard(const AttemptKey& key) {
  for (auto& [job, count] : counts_) count.unsure = count.unsure || count.by == key;
}

void CrashChecks::committed(const CommitFacts& facts, const Reference& reference) {
  std::map<const Job*, int> deaths;
  for (std::int64_t i = facts.input_from; i < facts.input_next; ++i) {
    const Input& input = model_.at(facts.partition, i);
    if (input.taken != Taken::kNotice || !input.job || !iterates(input.job->type)) continue;
    ++deaths[input.job];
    dying_[facts.partition].insert(input.job);
  }
  for (const Job* const job : dying_[facts.partition]) {
    if (job->ends > 0) continue;
    Count& count = counts_[job];
    const int died = deaths[job];
    const bool first = count.most == 0;
    count.most += died;
    count.least += died;
    const auto place = count.told.find(reference.row_of(job->digest).cursor);
    if (place == count.told.end()) continue;
    if (is_beyond(place->second, count.reached)) {
      count.least = 0;
      count.most = first ? count.most : died;
    }
    count.reached = place->second;
  }
}

void CrashChecks::buried(const CommitFacts& facts, const Job& job) {
  if (!iterates(job.type) || !knows(job, counts_[&job])) return;
  const int most = counts_[&job].most;
  rules_.check(Rule::kCrashCount, most >= kMaxDeaths, [&] {
    return "p" + std::to_string(facts.partition) + "@" + std::to_string(facts.offset.value) +
           " buries " + name_of(job) + " after " + std::to_string(most) +
           " deaths since its last iteration";
  });
}

// By an owner that has counted them, and has been told of no iteration since.
void CrashChecks::started(const AttemptRequest& request, const Job& job,
                          const Reference& reference) {
  if (!iterates(job.type) || reference.epoch().value != request.key.token.epoch) return;
  const auto found = counts_.find(&job);
  if (found == counts_.end() || found->second.most == 0 || !knows(job, found->second)) return;
  const Count& count = found->second;
  if (count.last_told.epoch == request.key.token.epoch && is_beyond(count.last_told, count.reached))
    return;
  rules_.check(Rule::kCrashCount, count.least < kMaxDeaths, [&] {
    return name_of(job) + " starts after " + std::to_string(count.least) +
           " deaths since its last iteration";
  });
}

bool CrashChecks::kills(const AttemptRequest& request) {
  if (request.account == kKillerAccount) return true;
  return request.account == kSurvivorAccount && !request.cursor.empty() &&
         killed_at_.insert(request.cursor).second;
}

}  // namespace penstock::simulation
