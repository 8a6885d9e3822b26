#include "consumer/schedule/batch_collector.h"

#include <absl/container/flat_hash_set.h>

#include <algorithm>
#include <string>
#include <utility>

#include "consumer/job/suspect.h"
#include "consumer/policy/type_table.h"

namespace penstock {

int BatchCollector::size_for(const LiveJob* first) const {
  const auto found = sizers_.find(first->type);
  return (found == sizers_.end() ? BatchSizer() : found->second).size(*first->type->policy.batch);
}

LiveJob* BatchCollector::running_batch(const Line& line) const {
  std::string buffer;
  for (LiveJob* job = line.flow->running.first(); job; job = job->next) {
    if (job->batch && order_.line_of(job->row, buffer) == line.name) return job;
  }
  return nullptr;
}

// -- Collecting

std::optional<Time> BatchCollector::waits_until(LiveJob* first, bool rest_is_due) {
  const BatchPolicy& policy = *first->type->policy.batch;
  Line& line = *first->line;
  const bool together = first->row.batch.given();
  // Until the next step: the rest of them is about to enter the line.
  if (together && rest_is_due) return now_;
  // Nothing that comes can join these: a suspect runs alone, and so does a batch that is retried.
  const bool goes_as_it_is = together || is_suspect(first->row);
  if (policy.delay == Duration{0} || goes_as_it_is) return std::nullopt;
  if (!line.collection) line.collection = collect(first);
  const Time due = line.collection->due(policy);
  if (due <= now_ || line.collection->full(size_for(first))) return std::nullopt;
  return due;
}

std::unique_ptr<Collection> BatchCollector::collect(LiveJob* first) {
  auto collection = std::make_unique<Collection>();
  const int most = size_for(first);
  std::size_t looked_at = 0;
  for (LiveJob* job = first; job && looked_at < kMaxLookedAt; job = lines_.next(job), ++looked_at) {
    if (collection->full(most)) break;
    if (job == first || can_join(first, job, now_)) {
      add(*collection, job->row, first->type->policy.batch->collect);
    } else if (order_.is_strict()) {
      // Nothing may overtake this job, so the batch ends before it.
      collection->close();
    }
  }
  // They were loaded only to be counted.
  lines_.trim_saved(*first->line, Lines::kKeptJobs);
  return collection;
}

void BatchCollector::add(Collection& collection, const JobRow& row, Collect collect) {
  collect == Collect::kSet ? collection.add(row, arguments_.of(row)) : collection.add(row);
}

bool BatchCollector::joins(Line& line, const LiveJob* job) {
  if (line.blocked_until == Time{}) {
    line.collection.reset();
    return false;
  }
  if (!line.collection) return false;
  const LiveJob* const first = line.jobs.first();
  // They are rows only: the batch is collected again, with this job.
  if (!first) {
    line.collection.reset();
    return true;
  }
  if (first->row.type != job->row.type || job->row.batch.given()) {
    if (!order_.is_strict()) return false;
    // Behind the first job it ends the batch; before it, it is the first job itself.
    first->place < job->place ? line.collection->close() : line.collection.reset();
    return true;
  }
  const BatchPolicy& policy = *job->type->policy.batch;
  add(*line.collection, job->row, policy.collect);
  if (line.collection->full(size_for(job))) return true;
  // Each arrival puts off the time at which the batch is complete.
  blocked_.block(line, line.collection->due(policy));
  return false;
}

// -- Handing over

bool BatchCollector::can_join(const LiveJob* first, const LiveJob* job, Time now) {
  const JobRow& row = job->row;
  // A record without a run_at has the time of its admission instead, which never delays it.
  const bool early = row.run_at > now && row.run_at != row.admitted_at;
  // Saved before its type had a batch policy: it says nothing about the other jobs.
  const bool has_own_cursor =
      !row.batch.given() && !(row.cursor.empty() && first->row.cursor.empty());
  return !has_own_cursor && row.type == first->row.type && row.batch == first->row.batch &&
         !early && !row.expired(now) && !row.cancel_asked() && !is_suspect(first->row) &&
         !is_suspect(row);
}

bool BatchCollector::may_join(const JobBatch& batch, LiveJob* job) const {
  return std::all_of(conditions_.begin(), conditions_.end(),
                     [&](Condition* condition) { return condition->may_join(batch, job); });
}

BatchCollector::Gathered BatchCollector::gather(LiveJob* first, const CostFunction& cost_of) {
  Gathered gathered{std::make_unique<JobBatch>(), nullptr};
  JobBatch& batch = *gathered.batch;
  const bool alone = is_suspect(first->row);
  const bool set = first->type->policy.batch->collect == Collect::kSet;
  // Jobs that are retried together stay together, even if the size has become smaller since.
  const auto most =
      static_cast<std::size_t>(first->row.batch.given() ? kMaxBatch : size_for(first));
  absl::flat_hash_map<std::pair<std::uint64_t, std::uint64_t>, std::size_t> known;
  absl::flat_hash_set<std::string> bulks;
  std::size_t jobs = 0, cost = 0, looked_at = 0;
  for (LiveJob* job = first; job && looked_at < kMaxLookedAt; job = lines_.next(job), ++looked_at) {
    const bool together = job->row.batch.given() && job->row.batch == first->row.batch;
    // Also of a job that cannot join any more: the cursor is of the whole batch.
    if (together && !alone && !gathered.has_cursor && !job->row.cursor.empty())
      gathered.has_cursor = job;
    if (job != first) {
      const bool fits = can_join(first, job, now_);
      if (fits) job->type = first->type;
      if (!fits || !may_join(batch, job)) {
        if (order_.is_strict()) break;
        continue;
      }
    }
    cost += batch_cost(job->row);
    // These may be the last chunks of their bulks, each of which then produces its job, once.
    if (job->row.bulk_index >= 0 && bulks.insert(job->row.bulk).second) cost += cost_of(job->row);
    // The first job is passed on even if it alone exceeds the cost, or it would never run.
    if (jobs > 0 && (jobs == kMaxBatch || cost > kMaxBatchCost)) break;
    if (set) {
      const Digest args = arguments_.of(job->row);
      // Before the check of the size: a job that is folded into an item adds none.
      const auto [at, is_new] = known.try_emplace({args.high, args.low}, batch.items.size());
      if (!is_new) {
        batch.items[at->second].folded.push_back(job);
        ++jobs;
        continue;
      }
    }
    if (batch.items.size() == most) break;
    batch.items.push_back({job});
    ++jobs;
    if (!set && batch.items.size() == most) break;
  }
  return gathered;
}

}  // namespace penstock
