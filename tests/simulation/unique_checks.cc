#include "tests/simulation/unique_checks.h"

#include "state/keys.h"
#include "state/unique_row.h"

namespace penstock::simulation {

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
    if (type.scope == UniqueScope::kTtl) policy.unique->ttl = Duration(3000);
    types.add(std::string(type.name), std::move(policy));
  }
}

void UniqueChecks::started(std::size_t host, const AttemptRequest& request, const Job& job) {
  const UniqueType* const type = unique_type(request.type);
  if (!type || job.unique_key.empty()) return;  // or another job, with an id that was forgotten
  const std::size_t from = request.args.find("\"me\":\"") + 6;
  ran_.insert(job.account + "/" + request.args.substr(from, request.args.find('"', from) - from));
  if (type->scope == UniqueScope::kQueued || type->scope == UniqueScope::kTtl) return;
  exclusive_[{host, request.key}] = job.unique_key;
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

// Where a job holds its lock until its end, no other of the key lives beside it.
void UniqueChecks::taken(const CommitFacts& facts, const Job& job) {
  if (job.unique_key.empty() || settings_.short_window) return;
  if (unique_type(job.type)->scope != UniqueScope::kUntilDone) return;
  int alive = 0;
  for (const Job* const other : model_.of_key(job.unique_key)) {
    if (other->reruns > 0) return;
    alive += other->ends == 0 && other->offset.value < facts.input_next ? 1 : 0;
  }
  rules_.check(Rule::kUniqueHeld, alive <= 1, [&] {
    return std::to_string(alive) + " jobs of the key " + job.unique_key + " wait or run";
  });
}

// A job that ends without a start, and not by a command, has been folded: into one that was there.
void UniqueChecks::ended(const CommitFacts& facts, const Job& job) {
  if (job.unique_key.empty() || settings_.short_window || job.starts > 0 || job.commanded ||
      job.buried)
    return;
  if (unique_type(job.type)->scope == UniqueScope::kTtl) return;
  bool any = false;
  for (const Job* const other : model_.of_key(job.unique_key)) {
    if (other->offset >= job.offset) break;
    any = any || other->ends == 0 || other->ended_by == facts.offset || other->reruns > 0;
  }
  rules_.check(Rule::kFolded, any, [&] {
    return job.account + "/" + job.id + " is folded away, but nobody holds the lock of " +
           job.unique_key;
  });
}

// A deleted job has let go, even of what it held until a time.
void UniqueChecks::deleted(const ReferenceStore& store, const Job& job) {
  if (job.unique_key.empty()) return;
  for (const auto& [key, value] : store.rows()) {
    if (key.front() != keys::kUnique) continue;
    const UniqueRow row = UniqueRow::decode(value).value();
    for (const UniqueRow::Holder& holder : row.holders) {
      rules_.check(Rule::kDeleted, holder.offset != job.offset, [&] {
        return job.account + "/" + job.id + " was deleted and holds the lock of " + job.unique_key;
      });
    }
  }
}

// Where the newest arguments are taken over, they have run.
void UniqueChecks::check_end() {
  if (settings_.short_window) return;
  for (const auto& [key, jobs] : model_.keys()) {
    const Job& last = *jobs.back();
    if (unique_type(last.type)->on_conflict == OnConflict::kDrop) continue;
    bool commanded = false;
    for (const Job* const job : jobs) commanded = commanded || job->commanded;
    if (commanded) continue;
    rules_.check(Rule::kNewestArgs, ran_.contains(last.account + "/" + last.id), [&] {
      return "the arguments of " + last.account + "/" + last.id + " have never run";
    });
  }
}

}  // namespace penstock::simulation
