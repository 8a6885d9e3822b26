#include "tests/simulation/checks/jobs/early_checks.h"

#include <algorithm>

#include "consumer/job/snooze.h"
#include "tests/simulation/checks/jobs/unique_checks.h"

namespace penstock::simulation {

void EarlyChecks::appended(const Input& input, Offset at) {
  if (input.taken == Taken::kCommand && input.op == Op::kReschedule && input.job) {
    Told& told = told_[input.job];
    told.moves[at] = {*input.run_at, told.starts, told.idle};
  }
  if (input.taken != Taken::kJob) return;
  const Job& job = *input.job;
  if (job.run_at) told_[&job].not_before = NotBefore{*job.run_at};
  const UniqueType* const type = unique_type(job.type);
  if (!type || type->on_conflict != OnConflict::kDebounce) return;
  for (const Job* const other : model_.of_key(job.unique_key)) {
    if (other != &job) told_[other].moves[at] = {job.run_at.value_or(Time{})};
  }
}

void EarlyChecks::taken(const CommitFacts& facts, const Input& input, Offset at) {
  if (input.taken != Taken::kCommand || input.op != Op::kReschedule || !input.job) return;
  Told& told = told_[input.job];
  const auto found = told.moves.find(at);
  if (found == told.moves.end()) return;
  const Move move = found->second;
  told.moves.erase(found);
  const bool not_started = told.started_in < facts.epoch.value;
  const bool waited = not_started || (move.idle && told.starts == move.starts);
  if (waited && input.job->ends == 0) {
    told.not_before = NotBefore{move.to};
  } else if (told.not_before) {
    told.not_before->at = std::min(told.not_before->at, move.to);
  }
}

// Whether the request's owner has been told.
bool EarlyChecks::holds(const NotBefore& not_before, const AttemptRequest& request, const Job& job,
                        const Reference& reference) const {
  if (!not_before.by || not_before.by->token.epoch == request.key.token.epoch) return true;
  return reference.row_of(job.digest).run_at >= not_before.at;
}

void EarlyChecks::started(const AttemptRequest& request, const Job& job, const Reference& reference,
                          Now now) {
  Told& told = told_[&job];
  const std::int64_t epoch = request.key.token.epoch;
  ++told.starts;
  told.started_in = std::max(told.started_in, epoch);
  told.idle = false;
  if (epoch < reference.epoch().value)
    return;  // a displaced owner's last: what it was told is not known
  if (job.reruns > 0 || (settings_.short_window && job.repeats > 0)) return;
  if (!told.not_before || !holds(*told.not_before, request, job, reference)) return;
  Time earliest = told.not_before->at;
  for (const auto& [at, move] : told.moves) earliest = std::min(earliest, move.to);
  rules_.check(Rule::kNotEarly, now.wall >= earliest, [&] {
    return name_of(job) + " starts " + std::to_string((earliest - now.wall).count()) +
           " ms before the time that it was told to wait for";
  });
}

void EarlyChecks::outcome(const AttemptRequest& request, const Job& job, const Reference& reference,
                          const OutcomeValue& outcome, Now now) {
  Told& told = told_[&job];
  const std::int64_t epoch = request.key.token.epoch;
  told.idle = epoch == told.started_in;
  if (epoch < reference.epoch().value) return;  // it is lost
  const auto* const snooze = std::get_if<Snooze>(&outcome);
  if (snooze) told.not_before = NotBefore{now.wall + std::max(snooze->in, kMinSnooze), request.key};
  if (std::holds_alternative<RetryLater>(outcome))
    told.not_before = NotBefore{job.retry_from, request.key};
}

void EarlyChecks::unheard(const AttemptKey& key) {
  for (auto& [job, told] : told_) {
    if (told.not_before && told.not_before->by == key) told.not_before.reset();
  }
}

}  // namespace penstock::simulation
