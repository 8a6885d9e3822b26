#include "tests/simulation/checks/jobs/unique_checks.h"

#include <algorithm>

#include "state/rows/keys.h"
#include "state/rows/unique_row.h"

namespace penstock::simulation {
namespace {

constexpr Duration kOwnersDiffer{4000};  // in what their clocks say
constexpr int kDriftApart = 50;          // two clocks: by 1 % each over a run

// The job as a holder of any lock: no two jobs of a run have the same id, but for repeats.
std::optional<UniqueRow::Holder> holder_of(const ReferenceStore& store, const Job& job) {
  for (const auto& [key, value] : store.rows()) {
    if (key.front() != keys::kUnique) continue;
    const UniqueRow row = UniqueRow::decode(value).value();
    for (const UniqueRow::Holder& holder : row.holders) {
      if (holder.id == job.id) return holder;
    }
  }
  return std::nullopt;
}

}  // namespace

const UniqueType* unique_type(std::string_view name) {
  for (const UniqueType& type : kUniqueTypes) {
    if (type.name == name) return &type;
  }
  return nullptr;
}

void add_unique_types(TypeTable& types, const TypePolicy& base) {
  for (const UniqueType& type : kUniqueTypes) {
    TypePolicy policy = base;
    policy.unique =
        UniquePolicy{{parse_json_pointer("/k").value()}, type.scope, type.on_conflict, Duration(0)};
    if (type.scope == UniqueScope::kTtl) policy.unique->ttl = kUniqueTtl;
    types.add(std::string(type.name), std::move(policy));
  }
}

void UniqueChecks::started(std::size_t host, const AttemptRequest& request, const Job& job) {
  const UniqueType* const type = unique_type(request.type);
  if (!type || job.unique_key.empty()) return;  // or another job, with an id that was forgotten
  const std::size_t from = request.args.find("\"me\":\"") + 6;
  const std::string of = request.args.substr(from, request.args.find('"', from) - from);
  ran_.insert(job.account + "/" + of);
  if (type->on_conflict == OnConflict::kDrop || type->on_conflict == OnConflict::kDead) {
    rules_.check(Rule::kNewestArgs, of == job.id, [&] {
      return job.account + "/" + job.id + " runs with the arguments of " + of +
             ", which ended beside it";
    });
  }
  if (type->scope == UniqueScope::kQueued || type->scope == UniqueScope::kTtl) return;
  exclusive_[{host, request.key}] = job.unique_key;
  shown(host, request.key);
}

void UniqueChecks::copy_started(std::size_t host, const AttemptRequest& request) {
  const UniqueType* const type = unique_type(request.type);
  const std::size_t k = request.args.find("\"k\":");
  if (!type || k == std::string::npos) return;
  if (type->scope == UniqueScope::kQueued || type->scope == UniqueScope::kTtl) return;
  exclusive_[{host, request.key}] =
      request.account + "/" + request.type + "/" + request.args[k + 4];
  shown(host, request.key);
}

void UniqueChecks::shown(std::size_t host, const AttemptKey& key) {
  const auto found = exclusive_.find({host, key});
  if (found == exclusive_.end()) return;
  auto& here = running_[found->second];
  here.emplace(host, key);
  rules_.check(Rule::kUniqueRuns, here.size() <= 1, [&] {
    return std::to_string(here.size()) + " jobs of the key " + found->second + " run at once";
  });
}

void UniqueChecks::hidden(std::size_t host, const AttemptKey& key) {
  const auto found = exclusive_.find({host, key});
  if (found != exclusive_.end()) running_[found->second].erase({host, key});
}

void UniqueChecks::taken(const CommitFacts& facts, const ReferenceStore& store, const Job& job,
                         Instant at) {
  if (job.unique_key.empty() || settings_.short_window) return;
  const UniqueScope scope = unique_type(job.type)->scope;
  if (scope == UniqueScope::kUntilDone) check_alive(facts, job);
  if (scope == UniqueScope::kQueued || scope == UniqueScope::kQueuedAndRunning)
    check_waiting(facts, job);
  const bool fresh = job.offset.value >= facts.input_from;
  if (scope == UniqueScope::kTtl && fresh) check_timed(store, job, at);
}

// Where a job holds its lock until its end, no other of the key lives beside it.
void UniqueChecks::check_alive(const CommitFacts& facts, const Job& job) {
  int alive = 0;
  for (const Job* const other : model_.of_key(job.unique_key)) {
    if (other->reruns > 0) return;
    alive += other->ends == 0 && other->offset.value < facts.input_next ? 1 : 0;
  }
  rules_.check(Rule::kUniqueHeld, alive <= 1, [&] {
    return std::to_string(alive) + " jobs of the key " + job.unique_key + " wait or run";
  });
}

// Where it holds it until its first attempt, no other waits for its own.
void UniqueChecks::check_waiting(const CommitFacts& facts, const Job& job) {
  std::string waiting;
  int count = 0;
  for (const Job* const other : model_.of_key(job.unique_key)) {
    if (other->reruns > 0) return;
    if (other->ends > 0 || other->starts > 0 || other->offset.value >= facts.input_next) continue;
    ++count;
    waiting += " " + other->id;
  }
  rules_.check(Rule::kUniqueQueued, count <= 1, [&] {
    return "jobs of the key " + job.unique_key + " wait for their first attempt:" + waiting;
  });
}

// Where it holds it for a time, by its row, the next one begins to when that is over.
void UniqueChecks::check_timed(const ReferenceStore& store, const Job& job, Instant at) {
  Timed& last = timed_[job.unique_key];
  if (job.commanded) last = {&job, {}, at};
  if (job.commanded) return;
  if (job.ends > 0 && job.starts == 0) return check_folded(job, Offset{-1});
  const std::optional<UniqueRow::Holder> holder = holder_of(store, job);
  const Time until = holder ? holder->until : Time{};
  const auto says = [&](const char* what) { return job.account + "/" + job.id + what; };
  rules_.check(Rule::kUniqueTtl, until != Time{} || at - job.appended > kUniqueTtl / 2,
               [&] { return says(" does not hold the lock of its key for its time"); });
  if (last.job && last.job != &job && !last.job->commanded && until != Time{}) {
    // The owner before may have found by its own clock that the time was over.
    const auto drift = std::chrono::duration_cast<Duration>(at.time_since_epoch()) / kDriftApart;
    rules_.check(Rule::kUniqueTtl, until - kUniqueTtl + drift >= last.until, [&] {
      return says(" has the lock of its key, which another holds until a later time");
    });
  }
  if (last.job != &job) last = {&job, until, at};
}

bool UniqueChecks::has_holder(const Job& job, Offset commit) {
  const UniqueType& type = *unique_type(job.type);
  if (type.scope == UniqueScope::kTtl) {
    const std::vector<Job*>& all = model_.of_key(job.unique_key);
    if (std::any_of(all.begin(), all.end(), [](const Job* one) { return one->reruns > 0; }))
      return true;  // it may have the lock for its time again
    const Timed& last = timed_[job.unique_key];
    return last.job && job.appended <= last.seen + kUniqueTtl + kOwnersDiffer;
  }
  for (const Job* const other : model_.of_key(job.unique_key)) {
    if (other->offset >= job.offset) break;
    if (other->ends == 0 || other->ended_by == commit || other->reruns > 0) return true;
  }
  return false;
}

void UniqueChecks::check_folded(const Job& job, Offset commit) {
  rules_.check(Rule::kFolded, has_holder(job, commit), [&] {
    return job.account + "/" + job.id + " is folded away, but nobody holds the lock of " +
           job.unique_key;
  });
}

// A job that ends without a start, and not by a command, has been folded: into one that was there.
void UniqueChecks::ended(const CommitFacts& facts, const Job& job) {
  if (job.unique_key.empty() || settings_.short_window || job.starts > 0 || job.commanded ||
      job.buried)
    return;
  if (unique_type(job.type)->scope != UniqueScope::kTtl) check_folded(job, facts.offset);
  rules_.check(Rule::kConflict, unique_type(job.type)->on_conflict != OnConflict::kDead, [&] {
    return job.account + "/" + job.id + " is folded away instead of being told as a conflict";
  });
}

void UniqueChecks::buried(const Job& job, std::string_view reason) {
  if (reason != "conflict" || settings_.short_window) return;
  rules_.check(Rule::kConflict, has_holder(job, Offset{-2}), [&] {
    return job.account + "/" + job.id + " is buried as a conflict, but nobody holds the lock of " +
           job.unique_key;
  });
}

// A deleted job has let go, even of what it held until a time.
void UniqueChecks::deleted(const ReferenceStore& store, const Job& job) {
  if (job.unique_key.empty()) return;
  rules_.check(Rule::kDeleted, !holder_of(store, job), [&] {
    return job.account + "/" + job.id + " was deleted and holds the lock of " + job.unique_key;
  });
}

// Where the newest arguments are taken over, they have run.
void UniqueChecks::check_end() {
  if (settings_.short_window) return;
  for (const auto& [key, jobs] : model_.keys()) {
    const Job& last = *jobs.back();
    const OnConflict on_conflict = unique_type(last.type)->on_conflict;
    if (on_conflict == OnConflict::kDrop || on_conflict == OnConflict::kDead) continue;
    bool commanded = false;
    for (const Job* const job : jobs) commanded = commanded || job->commanded;
    if (commanded) continue;
    rules_.check(Rule::kNewestArgs, ran_.contains(last.account + "/" + last.id), [&] {
      return "the arguments of " + last.account + "/" + last.id + " have never run";
    });
  }
}

}  // namespace penstock::simulation
