#include "api/source/loop_answers.h"

#include <algorithm>

namespace penstock {
namespace {

using std::chrono::duration_cast;
using std::chrono::milliseconds;

Task* task_of(Loop& loop, PartitionId partition) {
  Tenure* const tenure = loop.tenure(partition);
  return tenure && !tenure->ended() ? tenure->task() : nullptr;
}

ShownJob shown(const JobInfo& info, const std::string& queue) {
  const JobRow& row = info.row;
  return {.id = row.id,
          .queue = queue,
          .type = row.type,
          .account = row.account,
          .state = info.state,
          .attempt = row.attempt,
          .max_attempts = info.max_attempts,
          .run_at = row.run_at,
          .created = row.admitted_at,
          .started = row.started_at,
          .reason = row.reason,
          .why = info.why,
          .progress = row.progress,
          .progress_total = row.progress_total,
          .snoozes = row.snoozes,
          .offset = row.offset,
          .waits = info.waits,
          .detail = {}};
}

JobDetail detail_of(const JobRow& row) {
  return {.value = row.value,
          .headers = row.headers,
          .cursor = row.cursor,
          .bulk = row.bulk,
          .priority = row.priority,
          .weight = row.weight,
          .expires_at = row.expires_at,
          .ended = row.ended_at,
          .replay = row.replay};
}

bool selects(const JobQuery& filter, const JobInfo& info) {
  const JobRow& row = info.row;
  return (!filter.state || info.state == *filter.state) &&
         (filter.type.empty() || row.type == filter.type) &&
         (filter.bulk.empty() || row.bulk == filter.bulk) &&
         (filter.error.empty() || row.reason.find(filter.error) != std::string::npos) &&
         row.id.starts_with(filter.id) && row.admitted_at >= filter.from &&
         (filter.to == Time{} || row.admitted_at < filter.to);
}

std::string phase_name(Owner::Phase phase) {
  switch (phase) {
    case Owner::Phase::kBounds:
    case Owner::Phase::kPreread:
    case Owner::Phase::kClaiming:
      return "claiming";
    case Owner::Phase::kRestoring:
      return "restoring";
    case Owner::Phase::kWaiting:
      return "waiting";
    case Owner::Phase::kRunning:
      return "running";
    default:
      return "leaving";
  }
}

void add_oldest_ready(QueueStatus& status, std::optional<Time> since, Now now) {
  if (!since || *since >= now.wall) return;
  status.oldest_ready =
      std::max(status.oldest_ready, duration_cast<milliseconds>(now.wall - *since));
}

void add_task(QueueStatus& status, Task& task, Now now) {
  status.running += task.attempts().running();
  status.ready_flows += task.fair().size();
  status.job_rows += task.jobs();
  add_item_times(status.item_times, task.attempts().item_times().by_type());
  add_oldest_ready(status, task.oldest_ready(now), now);
  if (const auto next = task.next_time(); next && *next < now.wall) {
    status.overdue = std::max(status.overdue, duration_cast<milliseconds>(now.wall - *next));
  }
}

void add_tenure(QueueStatus& status, Tenure& tenure, Now now) {
  ++status.phases[phase_name(tenure.owner().phase())];
  status.commits += tenure.commits().count();
  status.outbox_pending += tenure.outbox().pending();
  status.counters += tenure.commits().counters();
  if (tenure.task() && !tenure.ended()) add_task(status, *tenure.task(), now);
  if (!tenure.runs()) return;
  if (tenure.task()) add_oldest_ready(status, tenure.left_since(), now);
  const auto left = duration_cast<milliseconds>(tenure.owner().lease_until() - now.boot);
  status.lease_left = std::min(status.lease_left.value_or(left), left);
}

}  // namespace

std::vector<PartitionId> partitions_held(Loop& loop) {
  std::vector<PartitionId> held;
  for (const PartitionId partition : loop.partitions()) {
    if (task_of(loop, partition)) held.push_back(partition);
  }
  return held;
}

JobPiece job_piece(Loop& loop, const PieceRequest& request, Now now) {
  Task* const task = task_of(loop, request.partition);
  if (!task) return {};
  JobPiece piece{.held = true, .jobs = {}, .after = {}};
  piece.after = task->job_walk().walk(request.walk, now, [&](const JobInfo& info) {
    if (!selects(request.filter, info)) return true;
    if (!request.id.empty() && info.row.id != request.id) return true;
    piece.jobs.push_back(shown(info, loop.options().queue.name));
    if (!request.id.empty()) piece.jobs.back().detail = detail_of(info.row);
    return piece.jobs.size() < request.limit;
  });
  return piece;
}

OneJob one_job(Loop& loop, PartitionId partition, const std::string& account, const std::string& id,
               Now now) {
  Task* const task = task_of(loop, partition);
  if (!task) return {};
  OneJob answer{.held = true, .job = {}};
  if (const auto info = task->queries().find(account, id, now)) {
    answer.job = shown(*info, loop.options().queue.name);
    answer.job->detail = detail_of(info->row);
  }
  return answer;
}

AccountPiece account_piece(Loop& loop, PartitionId partition, const std::string& after,
                           int max_rows) {
  Task* const task = task_of(loop, partition);
  if (!task) return {};
  AccountPiece piece{.held = true, .accounts = {}, .after = {}};
  piece.after =
      task->queries().tally_accounts(after, max_rows, [&](const Queries::AccountTally& tally) {
        piece.accounts.push_back({tally.account, tally.jobs, tally.running});
      });
  return piece;
}

BulkPiece bulk_piece(Loop& loop, const BulkPieceRequest& request, Now now) {
  Task* const task = task_of(loop, request.partition);
  if (!task) return {};
  BulkPiece piece{.held = true, .bulks = {}, .after = {}};
  piece.after = task->queries().walk_bulks(
      request.after, request.account, request.limit, [&](const Queries::BulkProgress& progress) {
        const Bulks::Progress& bulk = progress.bulk;
        piece.bulks.push_back(
            {bulk.id, bulk.account, bulk.row, progress.running, bulk.row.estimated_end(now.wall)});
      });
  return piece;
}

std::vector<std::size_t> watch_jobs(Loop& loop, const std::vector<WatchRequest>& requests,
                                    const std::shared_ptr<WatchBoard>& board) {
  std::vector<std::size_t> refused;
  for (const WatchRequest& request : requests) {
    const auto& [partition, job, number] = request;
    if (!task_of(loop, partition) ||
        !loop.tenure(partition)->attempts().watches().add(job.account, job.id, board, number))
      refused.push_back(number);
  }
  return refused;
}

std::vector<PartitionStatus> partition_statuses(Loop& loop, Now now) {
  std::vector<PartitionStatus> statuses;
  for (const PartitionId partition : loop.partitions()) {
    PartitionStatus status{.queue = loop.options().queue.name,
                           .partition = partition,
                           .phase = "claiming",
                           .lease_left = {},
                           .jobs = 0,
                           .state_bytes = 0,
                           .bytes_restored = 0};
    if (Tenure* const tenure = loop.tenure(partition); tenure && !tenure->ended()) {
      status.phase = phase_name(tenure->owner().phase());
      status.state_bytes = tenure->commits().state_bytes();
      status.bytes_restored = tenure->owner().bytes_restored();
      if (tenure->task()) status.jobs = tenure->task()->jobs();
      if (tenure->runs())
        status.lease_left = duration_cast<milliseconds>(tenure->owner().lease_until() - now.boot);
    }
    statuses.push_back(std::move(status));
  }
  return statuses;
}

std::vector<OpenBreaker> open_breakers(Loop& loop) {
  std::vector<OpenBreaker> open;
  for (const PartitionId partition : loop.partitions()) {
    Task* const task = task_of(loop, partition);
    if (!task) continue;
    task->queries().each_open_breaker(kMaxListedBreakers - open.size(),
                                      [&](const Breaker& breaker) {
                                        open.push_back({.queue = loop.options().queue.name,
                                                        .type = breaker.type(),
                                                        .account = breaker.account(),
                                                        .failures = breaker.failures(),
                                                        .since = breaker.opened_at(),
                                                        .next_probe = breaker.next_probe(),
                                                        .probes = breaker.probes()});
                                      });
  }
  return open;
}

std::vector<LimitUse> limit_uses(Loop& loop) {
  std::vector<LimitUse> uses;
  for (const PartitionId partition : loop.partitions()) {
    Task* const task = task_of(loop, partition);
    if (!task) continue;
    task->queries().each_used_limit(kMaxListedLimits - uses.size(), [&](const Limit& limit) {
      uses.push_back({limit.name(), limit.written(), limit.used(), limit.waiting()});
    });
  }
  return uses;
}

LoopStatus loop_status(Loop& loop, Now now) {
  LoopStatus status;
  // Includes the tenures that have ended, so that a counter does not go back with a partition.
  status.figures.counters = loop.past_counters();
  status.figures.commits = loop.past_commits();
  status.held = partitions_held(loop);
  for (const auto& [name, topic] : loop.undelivered().topics())
    status.figures.undelivered[name] = topic.messages;
  for (const PartitionId partition : loop.partitions()) {
    if (Tenure* const tenure = loop.tenure(partition)) {
      add_tenure(status.figures, *tenure, now);
    } else {
      ++status.figures.phases["claiming"];
    }
  }
  return status;
}

}  // namespace penstock
