#include "tests/simulation/checker/commit_checks.h"

#include <nlohmann/json.hpp>

#include "state/rows/keys.h"

namespace penstock::simulation {
namespace {

// The cursor that asked for a follow-up job, as JSON.
std::string cursor_with(const std::string& record) {
  const std::size_t from = record.find("\"with\":\"");
  if (from == std::string::npos) return {};
  return record.substr(from + 7, record.find('"', from + 8) - from - 6);
}

}  // namespace

void CommitChecks::committed(const CommitFacts& facts) {
  run_.rules().check(
      Rule::kInputMoves,
      facts.input_next >= facts.input_from &&
          facts.input_next <= run_.model().size(facts.partition),
      [&] { return name_of(facts) + " moves the input to " + std::to_string(facts.input_next); });
  run_.rules().check(Rule::kOutboxOnce, !facts.resurrected,
                     [&] { return name_of(facts) + " brings back a message that was gone"; });
  if (run_.rules().broken) return;
  features_.crashes.committed(facts, run_.reference(facts.partition));
  for (const Produced& message : facts.produced) {
    if (message.topic == slots_topic(kPrefix)) {
      run_.say(name_of(facts) + " tells the owner of " + message.key.value_or("") + " " +
               message.value.value_or(""));
    }
    produced(facts, message);
    features_.replays.produced(facts, message);
  }
  for (const Digest& digest : facts.ended) ended(facts, digest);
  for (const Produced& message : facts.produced) bulks_.produced(facts, message);
  for (std::int64_t i = facts.input_from; i < facts.input_next; ++i) input_taken(facts, Offset{i});
  features_.replays.committed(facts);
  const ReferenceStore& store = run_.reference(facts.partition).store();
  features_.logs.committed(facts.partition, store);
  if (facts.offset.value % 4 == 0) check_rows(facts, store);
}

void CommitChecks::check_rows(const CommitFacts& facts, const ReferenceStore& store) {
  const std::string torn = torn_rows(store);
  run_.rules().check(Rule::kWholeRows, torn.empty(), [&] { return name_of(facts) + ": " + torn; });
  const std::string stale = stale_expiry(store);
  run_.rules().check(Rule::kExpiries, stale.empty(), [&] { return name_of(facts) + ": " + stale; });
}

void CommitChecks::owner_committed(const CommitFacts& facts) {
  run_.rules().check(Rule::kOutboxOnce, !facts.resurrected, [&] {
    return "the owner's " + name_of(facts) + " brings back a message that was gone";
  });
  for (const Produced& message : facts.produced) {
    run_.say("the owner's " + name_of(facts) + " tells p" + std::to_string(message.partition) +
             " " + message.key.value_or("") + " " + message.value.value_or(""));
    produced(facts, message);
  }
  features_.shared.committed(facts.partition, run_.owner(facts.partition).store(),
                             run_.cluster().now());
}

void CommitChecks::produced(const CommitFacts& facts, const Produced& message) {
  messages_.produced(facts, message);
  if (message.topic == names().dead_topic()) {
    const std::string reason = message.header("penstock-reason");
    buried(facts, message, reason);
    if (!reason.starts_with("bad_") && reason != "too_large") return;
    messages_.buried(facts, message);
  }
  if (const std::string cursor = cursor_with(message.value.value_or("")); !cursor.empty())
    features_.long_jobs.produced_with(cursor);
  messages_.derived(facts, message);
}

// A record of the dead topic, which may be a job's.
void CommitChecks::buried(const CommitFacts& facts, const Produced& message,
                          const std::string& reason) {
  const auto record = nlohmann::json::parse(message.value.value_or(""), nullptr, false);
  if (!record.is_object() || !message.key) return;
  Job* const job = run_.model().find(*message.key, record.value("id", ""));
  if (!job) return;
  job->buried = true;
  features_.errors.buried(*job, reason);
  features_.unique.buried(*job, reason);
  if (reason != "crashed") return;
  features_.crashes.buried(facts, *job);
  run_.rules().check(Rule::kDeaths, job->deaths >= 3, [&] {
    return name_of(facts) + " buries " + name_of(*job) + " after " + std::to_string(job->deaths) +
           " deaths";
  });
}

void CommitChecks::ended(const CommitFacts& facts, const Digest& digest) {
  if (features_.replays.ended(facts, digest)) return;
  Job* const job = run_.model().find(digest);
  const bool known =
      job && job->partition == facts.partition && job->offset.value < facts.input_next;
  run_.rules().check(Rule::kNoPhantom, known,
                     [&] { return name_of(facts) + " ends a job that no record asked for"; });
  if (!known) return;
  ++job->ends;
  const int allowed = 1 + job->reruns + (run_.settings().short_window ? job->repeats : 0);
  run_.rules().check(Rule::kOneCompletion, job->ends <= allowed, [&] {
    return name_of(facts) + " ends " + name_of(*job) + " for the " + std::to_string(job->ends) +
           ". time";
  });
  features_.batches.ended(*job);
  job->ended_in = facts.epoch.value;
  job->ended_at = run_.cluster().wall();
  job->ended_by = facts.offset;
  job->kept = run_.reference(facts.partition).store().has(keys::identity(digest));
  features_.unique.ended(facts, *job);
  if (job->deleted) check_deleted(facts, *job, true);
  run_.say(name_of(facts) + " ends " + name_of(*job));
}

// What the commit takes from the input must be in it too.
void CommitChecks::input_taken(const CommitFacts& facts, Offset offset) {
  const Input& input = run_.model().at(facts.partition, offset.value);
  const ReferenceStore& store = run_.reference(facts.partition).store();
  const std::string place = place_name(names().topic(), facts.partition, offset);
  if (input.job) shares_.taken(*input.job);
  if (input.taken == Taken::kCopy) features_.replays.taken(facts, input);
  if (input.taken == Taken::kJob || input.taken == Taken::kRepeat) {
    const bool there = input.job->ends > 0 || store.has(keys::identity(input.job->digest));
    run_.rules().check(Rule::kNothingLost, there, [&] {
      return name_of(facts) + " takes " + name_of(*input.job) + " and forgets it";
    });
    features_.unique.taken(facts, store, *input.job, run_.cluster().now());
    features_.newcomers.taken(*input.job, run_.cluster().now());
    const bool ended = input.taken == Taken::kRepeat && input.job->ends > 0;
    if (ended) run_.rules().check(Rule::kDedup, true, [] { return ""; });
  }
  features_.early.taken(facts, input, offset);
  const bool stops = input.op == Op::kCancel || input.op == Op::kDelete;
  if (input.taken == Taken::kCommand && stops && input.job && input.job->offset < offset) {
    stop_taken(facts, *input.job, input.op);
  }
  if (input.taken == Taken::kBad) {
    run_.rules().check(Rule::kBadRecord, messages_.has_buried(place), [&] {
      return name_of(facts) + " takes the bad record " + place + " and drops it";
    });
  }
  if (input.taken == Taken::kMisrouted) {
    run_.rules().check(Rule::kForwarded, messages_.has_forwarded(place), [&] {
      return name_of(facts) + " takes " + place + " and does not forward it";
    });
  }
}

// A cancel or a delete of a job that was there, if it had not ended before.
void CommitChecks::stop_taken(const CommitFacts& facts, Job& job, Op op) {
  const bool ended_by_it = job.starts == 0 && !job.cancelled_in && !job.expires_at;
  job.cancelled_in = facts.epoch.value;
  run_.rules().check(Rule::kCancel, true, [] { return ""; });
  if (op != Op::kDelete) return;
  job.deleted = true;
  if (job.ends > 0 && job.reruns == 0) check_deleted(facts, job, ended_by_it || job.kept);
}

// `had_lock`: whether it was there, so that its lock, if any, has gone with it.
void CommitChecks::check_deleted(const CommitFacts& facts, const Job& job, bool had_lock) {
  if (run_.may_be_forgotten(job)) return;
  const ReferenceStore& store = run_.reference(facts.partition).store();
  run_.rules().check(Rule::kDeleted, !store.has(keys::identity(job.digest)), [&] {
    return name_of(facts) + " keeps " + name_of(job) + ", which was deleted";
  });
  if (had_lock) features_.unique.deleted(store, job);
}

}  // namespace penstock::simulation
