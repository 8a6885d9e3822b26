#include "tests/simulation/checks/jobs/long_checks.h"

#include <algorithm>

namespace penstock::simulation {

void LongChecks::started(const AttemptRequest& request, const Job& job, const Reference& reference,
                         Now now) {
  check_desk(request, job);
  if (!iterates(job.type)) return;
  Told& told = told_[&job];
  const std::int64_t epoch = request.key.token.epoch;
  if (epoch < told.epoch) return;  // a displaced owner's last
  check_cursor(request, job, reference, told);
  if (told.epoch != epoch) {
    told = {};
    told.unsure = reference.epoch().value != epoch;
    told.least = told.most = reference.row_of(job.digest).ran;
  } else if (told.went_on) {
    told.most += now.wall - told.started;
    told.unsure = told.unsure || told.most >= kLongestRun;
  }
  check_turn(job, told);
  told.epoch = epoch;
  told.cursors = {request.cursor};
  told.answered = false;
  told.started = now.wall;
  told.before.clear();
}

// An owner goes on from what its attempts have said, and from what the commits before it have where
// it has none.
void LongChecks::check_cursor(const AttemptRequest& request, const Job& job,
                              const Reference& reference, const Told& told) {
  if (job.reruns > 0 || (settings_.short_window && job.repeats > 0)) return;
  const auto says = [&](const std::string& expected) {
    return name_of(job) + " begins with the cursor " + request.cursor + ", not with " + expected;
  };
  if (told.epoch == request.key.token.epoch) {
    const std::string& last = told.cursors.back();
    const bool any =
        std::find(told.cursors.begin(), told.cursors.end(), request.cursor) != told.cursors.end();
    rules_.check(Rule::kCursor, told.answered ? request.cursor == last : any,
                 [&] { return says(last); });
  } else if (reference.epoch().value == request.key.token.epoch) {
    const std::string committed = reference.row_of(job.digest).cursor;
    rules_.check(Rule::kCursor, request.cursor == committed, [&] { return says(committed); });
    rules_.check(Rule::kFollowUps, !asked_with_.contains(committed), [&] {
      return name_of(job) + " goes on from " + committed + ", but what was asked for with it " +
             "has not been produced";
    });
  }
}

void LongChecks::check_turn(const Job& job, const Told& told) {
  for (const Job* const other : told.before) {
    if (!other->plain || other->ends > 0) continue;
    rules_.check(Rule::kTurn, other->starts > 0, [&] {
      return name_of(job) + " has run for its max_runtime and goes on before " + name_of(*other);
    });
  }
}

void LongChecks::control_appended(const LogRecord& record) {
  if (!record.key.value_or("").starts_with("pause/")) return;
  for (auto& [job, told] : told_) told.before.clear();
}

void LongChecks::check_desk(const AttemptRequest& request, const Job& job) {
  if (job.type != kHolderType && job.type != kTakerType) return;
  const auto found = kept_by_.find({job.account, request.key.token.epoch});
  if (found == kept_by_.end()) return;
  const Job* const keeper = found->second;
  if (keeper != &job && !keeper->commanded && keeper->deaths == 0) {
    rules_.check(Rule::kKept, false, [&] {
      return name_of(job) + " starts, though " + name_of(*keeper) +
             " keeps the slot between its iterations";
    });
  } else {
    rules_.check(Rule::kKept, true, [] { return std::string(); });
  }
  kept_by_.erase(found);
}

void LongChecks::outcome(const AttemptRequest& request, const Job& job, const Reference& reference,
                         const OutcomeValue& outcome, Now now) {
  if (!iterates(job.type)) return;
  Told& told = told_[&job];
  if (told.epoch != request.key.token.epoch) return;
  const auto* const next = std::get_if<NextIteration>(&outcome);
  told.answered = true;
  if (next) told.cursors = {next->cursor};
  const bool goes_on = next || std::holds_alternative<Interrupted>(outcome);
  told.went_on = goes_on;
  told.least = goes_on ? told.least + (now.wall - told.started) : Duration(0);
  if (!goes_on) told.most = Duration(0);
  if (next && job.type == kHolderType) kept_by_[{job.account, told.epoch}] = &job;
  if (!next || job.type != kLongType || told.least < kLongestRun || told.unsure) return;
  told.least = told.most = Duration(0);
  told.went_on = false;
  if (job.commanded || job.deaths > 0 || reference.epoch().value != told.epoch) return;
  told.before = ready_before(job, reference, now);
}

// Those of the account that this owner had taken by then, that wait for nothing but their turn, and
// behind which the job goes.
std::vector<const Job*> LongChecks::ready_before(const Job& job, const Reference& reference,
                                                 Now now) const {
  std::vector<const Job*> before;
  for (const Job* const other : model_.line(job.account)) {
    if (other == &job || !other->plain || other->starts > 0 || other->ends > 0) continue;
    if (other->offset.value >= reference.input_next()) continue;
    if (goes_first(*other, job, reference, now)) before.push_back(other);
  }
  return before;
}

bool LongChecks::goes_first(const Job& other, const Job& job, const Reference& reference,
                            Now now) const {
  switch (settings_.queue.order) {
    case Order::kCreated:
      return true;
    case Order::kReady: {
      const JobRow row = reference.row_of(other.digest);
      return !row.id.empty() && row.run_at <= now.wall;  // by the clock of who took it
    }
    case Order::kFair:
      return other.bulk_id == job.bulk_id && other.priority <= job.priority;
    case Order::kStrict:
      return false;
  }
  return false;
}

void LongChecks::checkpoint(const AttemptRequest& request, const std::string& cursor, bool asks) {
  if (asks) asked_with_.insert(cursor);
  const Job* const job = model_.find(request.account, request.id);
  if (!job || !iterates(job->type)) return;
  Told& told = told_[job];
  if (told.epoch == request.key.token.epoch) told.cursors.push_back(cursor);
}

}  // namespace penstock::simulation
