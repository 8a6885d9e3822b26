#include "api/source/loop_source.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "api/source/census_count.h"
#include "api/source/list_position.h"
#include "api/source/longest_lines.h"
#include "api/source/loop_answers.h"
#include "topics/partitioner.h"

namespace penstock {
namespace {

// skipped without being decoded, so a step has time for more
constexpr int kSearchedRowsPerStep = 4096;
constexpr int kTalliedRowsPerStep = 4096;
constexpr int kBulksPerStep = 256;
constexpr const char* kPhases[] = {"claiming", "restoring", "waiting", "running", "leaving"};

void add(QueueStatus& sum, const QueueStatus& share) {
  sum.counters += share.counters;
  sum.commits += share.commits;
  sum.running += share.running;
  sum.ready_flows += share.ready_flows;
  sum.job_rows += share.job_rows;
  sum.outbox_pending += share.outbox_pending;
  for (const auto& [topic, messages] : share.undelivered) sum.undelivered[topic] += messages;
  sum.oldest_ready = std::max(sum.oldest_ready, share.oldest_ready);
  sum.overdue = std::max(sum.overdue, share.overdue);
  add_item_times(sum.item_times, share.item_times);
  for (const auto& [phase, count] : share.phases) sum.phases[phase] += count;
  if (share.lease_left)
    sum.lease_left = std::min(sum.lease_left.value_or(*share.lease_left), *share.lease_left);
}

// The partitions of 0 to `partitions` that are not in `held`.
std::vector<PartitionId> missing(int partitions, const std::map<PartitionId, Loop*>& held) {
  std::vector<PartitionId> missing;
  for (PartitionId partition = 0; partition < partitions; ++partition) {
    if (!held.contains(partition)) missing.push_back(partition);
  }
  return missing;
}

// If an account is given, only its partition can have the result.
std::vector<PartitionId> missing_of(std::vector<PartitionId> not_here, PartitionId only) {
  if (only >= 0) std::erase_if(not_here, [only](PartitionId at) { return at != only; });
  return not_here;
}

PieceRequest piece_request(const JobQuery& query, int max_rows) {
  PieceRequest request;
  request.filter = query;
  request.walk.account = query.account;
  request.walk.live = !query.state || !is_terminal(*query.state);
  request.walk.ended = !query.state || is_terminal(*query.state);
  request.walk.max_rows = max_rows;
  for (const std::string* const text :
       {&query.type, &query.account, &query.bulk, &query.error, &query.id}) {
    if (!text->empty()) request.walk.containing.push_back(*text);
  }
  return request;
}

}  // namespace

// Which loop can answer for which partition.
struct LoopSource::Holdings {
  std::map<PartitionId, Loop*> held;
  std::vector<PartitionId> not_here;
};

LoopSource::LoopSource(Hooks hooks) : LoopSource(std::move(hooks), Limits()) {}
LoopSource::LoopSource(Hooks hooks, Limits limits)
    : hooks_(std::move(hooks)),
      limits_(limits),
      censuses_([this](const std::string& queue, JobCensus& census, const std::stop_token& stop) {
        return count(queue, census, stop);
      }) {}

SourceError LoopSource::silent(std::string_view queue) {
  return {SourceFault::kNoAnswer,
          "a loop of queue \"" + std::string(queue) +
              "\" did not answer in time: try again; if that does not help, see the worker's log"};
}

bool LoopSource::has_queue(std::string_view queue) { return queue_of(queue).has_value(); }

Found<LoopSource::Queue> LoopSource::queue_of(std::string_view name) {
  for (Queue& queue : hooks_.loops()) {
    if (queue.policy.name == name) return std::move(queue);
  }
  return tl::unexpected(
      SourceError{SourceFault::kNoQueue, "this worker does not run a queue \"" + std::string(name) +
                                             "\": GET /v1/queues lists those that it runs"});
}

Found<LoopSource::Holdings> LoopSource::holdings_of(const Queue& queue) {
  std::vector<std::future<std::vector<PartitionId>>> answers;
  // All loops are asked before the first wait, so that they answer at the same time.
  for (Loop* const loop : queue.loops)
    answers.push_back(questions_.put(*loop, [](Loop& at, Now) { return partitions_held(at); }));
  const auto until = Clock::now() + limits_.answer;
  Holdings holdings;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const auto held = LoopQuestions::wait(answers[i], until);
    if (!held) return tl::unexpected(silent(queue.policy.name));
    for (const PartitionId partition : *held) holdings.held[partition] = queue.loops[i];
  }
  holdings.not_here = missing(queue.policy.partitions, holdings.held);
  return holdings;
}

// -- Status

QueueStatus LoopSource::status_of(const Queue& queue) {
  std::vector<std::future<LoopStatus>> answers;
  for (Loop* const loop : queue.loops) answers.push_back(questions_.put(*loop, loop_status));
  const auto until = Clock::now() + limits_.answer;
  QueueStatus status;
  status.queue = queue.policy.name;
  status.partitions = queue.policy.partitions;
  status.account_concurrency = queue.policy.account_concurrency;
  status.stopped = !queue.refusal.empty();
  // A phase without partitions must be a 0 in the metrics, and not be missing.
  for (const char* const phase : kPhases) status.phases[phase] = 0;
  std::map<PartitionId, Loop*> held;
  for (auto& pending : answers) {
    const auto answer = LoopQuestions::wait(pending, until);
    if (!answer) {
      ++status.silent_loops;
      continue;
    }
    add(status, answer->figures);
    for (const PartitionId partition : answer->held) held[partition] = nullptr;
  }
  status.not_here = missing(queue.policy.partitions, held);
  return status;
}

std::vector<QueueStatus> LoopSource::status() {
  std::vector<QueueStatus> all;
  for (const Queue& queue : hooks_.loops()) all.push_back(status_of(queue));
  return all;
}

Found<QueueStatus> LoopSource::status(std::string_view name) {
  const auto queue = queue_of(name);
  if (!queue) return tl::unexpected(queue.error());
  QueueStatus status = status_of(*queue);
  if (status.silent_loops > 0) return tl::unexpected(silent(name));
  return status;
}

// -- Jobs

Found<JobListing> LoopSource::list(const JobQuery& query) {
  const auto queue = queue_of(query.queue);
  if (!queue) return tl::unexpected(queue.error());
  auto position = query.after.empty() ? ListPosition{} : ListPosition::parse(query.after);
  if (!position) {
    return tl::unexpected(SourceError{
        SourceFault::kBadAfter,
        "\"after\" is not a position from a list: leave it out to start at the beginning"});
  }
  auto holdings = holdings_of(*queue);
  if (!holdings) return tl::unexpected(holdings.error());

  const PartitionId only =
      query.account.empty() ? -1 : partition_of(query.account, queue->policy.partitions);
  JobListing listing;
  listing.not_here = missing_of(std::move(holdings->not_here), only);
  PieceRequest request = piece_request(query, limits_.rows_per_step);
  const auto limit = static_cast<std::size_t>(query.limit);
  const auto end = Clock::now() + limits_.listing;

  for (auto at = holdings->held.lower_bound(position->partition); at != holdings->held.end();
       ++at) {
    if (only >= 0 && at->first != only) continue;
    request.partition = at->first;
    request.walk.after = at->first == position->partition ? position->key : std::string();
    for (bool more = true; more;) {
      // Whether anything follows is known only after another step, so the next page may be empty.
      if (listing.jobs.size() >= limit || Clock::now() >= end) {
        listing.after = ListPosition{at->first, request.walk.after}.text();
        return listing;
      }
      request.limit = limit - listing.jobs.size();
      auto pending = questions_.put(
          *at->second, [request](Loop& loop, Now now) { return job_piece(loop, request, now); });
      auto piece = LoopQuestions::wait(pending, Clock::now() + limits_.answer);
      if (!piece) return tl::unexpected(silent(query.queue));
      // The partition has left since its loop listed its partitions.
      if (!piece->held) listing.not_here.push_back(at->first);
      std::move(piece->jobs.begin(), piece->jobs.end(), std::back_inserter(listing.jobs));
      more = piece->after.has_value();
      if (more) request.walk.after = *std::move(piece->after);
    }
  }
  std::sort(listing.not_here.begin(), listing.not_here.end());
  return listing;
}

Found<JobMatch> LoopSource::find(std::string_view name, std::string_view id,
                                 std::string_view account) {
  const auto queue = queue_of(name);
  if (!queue) return tl::unexpected(queue.error());
  auto holdings = holdings_of(*queue);
  if (!holdings) return tl::unexpected(holdings.error());
  return account.empty() ? search(*queue, *holdings, std::string(id))
                         : look_up(*queue, *holdings, std::string(account), std::string(id));
}

Found<JobMatch> LoopSource::look_up(const Queue& queue, const Holdings& holdings,
                                    std::string account, std::string id) {
  const PartitionId partition = partition_of(account, queue.policy.partitions);
  JobMatch match;
  const auto holder = holdings.held.find(partition);
  if (holder != holdings.held.end()) {
    auto pending = questions_.put(*holder->second, [partition, account, id](Loop& loop, Now now) {
      return one_job(loop, partition, account, id, now);
    });
    auto answer = LoopQuestions::wait(pending, Clock::now() + limits_.answer);
    if (!answer) return tl::unexpected(silent(queue.policy.name));
    if (answer->job) match.jobs.push_back(*std::move(answer->job));
    if (answer->held) return match;
  }
  match.not_here.push_back(partition);
  return match;
}

// There is no index from an id alone to its jobs, so every row is checked.
Found<JobMatch> LoopSource::search(const Queue& queue, const Holdings& holdings, std::string id) {
  JobMatch match;
  match.not_here = holdings.not_here;
  const auto end = Clock::now() + limits_.search;
  PieceRequest request;
  request.id = id;
  request.limit = kMaxAccountsPerId;
  request.walk.containing = {std::move(id)};
  request.walk.max_rows = kSearchedRowsPerStep;
  for (const auto& [partition, loop] : holdings.held) {
    request.partition = partition;
    request.walk.after.clear();
    for (bool more = true; more && match.jobs.size() < kMaxAccountsPerId;) {
      if (Clock::now() >= end) {
        return tl::unexpected(
            SourceError{SourceFault::kNoAnswer,
                        "the queue is too long to search for an id alone: give its account"});
      }
      auto pending = questions_.put(
          *loop, [request](Loop& at, Now now) { return job_piece(at, request, now); });
      auto piece = LoopQuestions::wait(pending, Clock::now() + limits_.answer);
      if (!piece) return tl::unexpected(silent(queue.policy.name));
      if (!piece->held) match.not_here.push_back(partition);
      std::move(piece->jobs.begin(), piece->jobs.end(), std::back_inserter(match.jobs));
      more = piece->after.has_value();
      if (more) request.walk.after = *std::move(piece->after);
    }
  }
  return match;
}

// -- Accounts

Found<AccountListing> LoopSource::busiest(std::string_view name, int limit, AccountOrder order) {
  const auto queue = queue_of(name);
  if (!queue) return tl::unexpected(queue.error());
  auto holdings = holdings_of(*queue);
  if (!holdings) return tl::unexpected(holdings.error());
  AccountListing listing;
  listing.not_here = std::move(holdings->not_here);
  LongestLines longest(static_cast<std::size_t>(limit), order);
  const auto end = Clock::now() + limits_.search;
  for (const auto& [partition, loop] : holdings->held) {
    std::string after;
    for (bool more = true; more;) {
      if (Clock::now() >= end) {
        listing.complete = false;
        break;
      }
      auto pending = questions_.put(*loop, [partition = partition, after](Loop& at, Now) {
        return account_piece(at, partition, after, kTalliedRowsPerStep);
      });
      auto piece = LoopQuestions::wait(pending, Clock::now() + limits_.answer);
      if (!piece) return tl::unexpected(silent(name));
      for (AccountLoad& load : piece->accounts) longest.add(std::move(load));
      more = piece->after.has_value();
      if (more) after = *std::move(piece->after);
    }
  }
  listing.accounts = longest.take();
  return listing;
}

// -- Bulks

Found<BulkListing> LoopSource::bulks(const BulkQuery& query) {
  const auto queue = queue_of(query.queue);
  if (!queue) return tl::unexpected(queue.error());
  auto position =
      query.after.empty() ? ListPosition{} : ListPosition::parse(query.after, Queries::is_bulk_key);
  if (!position) {
    return tl::unexpected(SourceError{
        SourceFault::kBadAfter,
        "\"after\" is not a position from a list: leave it out to start at the beginning"});
  }
  auto holdings = holdings_of(*queue);
  if (!holdings) return tl::unexpected(holdings.error());
  const PartitionId only =
      query.account.empty() ? -1 : partition_of(query.account, queue->policy.partitions);
  BulkListing listing;
  listing.not_here = missing_of(std::move(holdings->not_here), only);
  const auto end = Clock::now() + limits_.listing;
  BulkPieceRequest request{
      .partition = 0, .account = query.account, .after = position->key, .limit = 0};
  for (auto at = holdings->held.lower_bound(position->partition); at != holdings->held.end();
       ++at) {
    if (only >= 0 && at->first != only) continue;
    request.partition = at->first;
    if (at->first != position->partition) request.after.clear();
    for (bool more = true; more;) {
      request.limit = std::min(query.limit - static_cast<int>(listing.bulks.size()), kBulksPerStep);
      if (request.limit <= 0 || Clock::now() >= end) {
        listing.after = ListPosition{at->first, request.after}.text();
        return listing;
      }
      auto pending = questions_.put(
          *at->second, [request](Loop& loop, Now now) { return bulk_piece(loop, request, now); });
      auto piece = LoopQuestions::wait(pending, Clock::now() + limits_.answer);
      if (!piece) return tl::unexpected(silent(query.queue));
      if (!piece->held) listing.not_here.push_back(at->first);
      std::move(piece->bulks.begin(), piece->bulks.end(), std::back_inserter(listing.bulks));
      more = piece->after.has_value();
      if (more) request.after = *std::move(piece->after);
    }
  }
  std::sort(listing.not_here.begin(), listing.not_here.end());
  return listing;
}

// -- Partitions

template <typename Element, typename Question>
std::vector<Element> LoopSource::of_all_loops(Question question) {
  std::vector<std::future<std::vector<Element>>> answers;
  for (const Queue& queue : hooks_.loops()) {
    for (Loop* const loop : queue.loops) answers.push_back(questions_.put(*loop, question));
  }
  const auto until = Clock::now() + limits_.answer;
  std::vector<Element> all;
  for (auto& pending : answers) {
    auto some = LoopQuestions::wait(pending, until);
    if (!some) continue;
    std::move(some->begin(), some->end(), std::back_inserter(all));
  }
  return all;
}

std::vector<LimitUse> LoopSource::limit_uses() {
  return of_all_loops<LimitUse>([](Loop& loop, Now) { return penstock::limit_uses(loop); });
}

std::vector<OpenBreaker> LoopSource::breakers() {
  auto all = of_all_loops<OpenBreaker>([](Loop& loop, Now) { return open_breakers(loop); });
  std::sort(all.begin(), all.end(), [](const OpenBreaker& a, const OpenBreaker& b) {
    return std::tie(a.queue, a.type, a.account) < std::tie(b.queue, b.type, b.account);
  });
  return all;
}

std::vector<PartitionStatus> LoopSource::partitions() {
  auto all = of_all_loops<PartitionStatus>(partition_statuses);
  std::sort(all.begin(), all.end(), [](const PartitionStatus& a, const PartitionStatus& b) {
    return std::tie(a.queue, a.partition) < std::tie(b.queue, b.partition);
  });
  return all;
}

// -- Watches

Found<std::vector<std::size_t>> LoopSource::watch(std::string_view name,
                                                  const std::vector<JobIdentity>& jobs,
                                                  const std::shared_ptr<WatchBoard>& board) {
  const auto queue = queue_of(name);
  if (!queue) return tl::unexpected(queue.error());
  const auto holdings = holdings_of(*queue);
  if (!holdings) return tl::unexpected(holdings.error());
  std::map<Loop*, std::vector<WatchRequest>> requests;
  std::vector<std::size_t> not_watched;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const PartitionId partition = partition_of(jobs[i].account, queue->policy.partitions);
    const auto holder = holdings->held.find(partition);
    if (holder == holdings->held.end()) {
      not_watched.push_back(i);
    } else {
      requests[holder->second].push_back({partition, jobs[i], i});
    }
  }
  std::vector<std::future<std::vector<std::size_t>>> answers;
  for (auto& [loop, of_loop] : requests) {
    answers.push_back(questions_.put(*loop, [of_loop = std::move(of_loop), board](Loop& at, Now) {
      return watch_jobs(at, of_loop, board);
    }));
  }
  const auto until = Clock::now() + limits_.answer;
  for (auto& pending : answers) {
    const auto refused = LoopQuestions::wait(pending, until);
    if (!refused) return tl::unexpected(silent(name));
    not_watched.insert(not_watched.end(), refused->begin(), refused->end());
  }
  return not_watched;
}

// -- Liveness

std::string LoopSource::stuck() {
  const Instant now = hooks_.boot();
  for (const Queue& queue : hooks_.loops()) {
    for (Loop* const loop : queue.loops) {
      const Instant passed = loop->mailbox().passed_at();
      if (passed == Instant{} || now - passed < limits_.stuck) continue;
      const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now - passed);
      return "a loop of queue \"" + queue.policy.name + "\" has stood still for " +
             std::to_string(seconds.count()) + " s: restart the worker";
    }
  }
  return {};
}

// -- The census

Found<JobCensus> LoopSource::census(std::string_view queue) {
  if (const auto found = queue_of(queue); !found) return tl::unexpected(found.error());
  return censuses_.latest(std::string(queue));
}

// On the census's own thread. False: it was stopped, or a loop does not answer.
bool LoopSource::count(const std::string& name, JobCensus& census, const std::stop_token& stop) {
  const auto queue = queue_of(name);
  if (!queue) return false;
  const auto holdings = holdings_of(*queue);
  if (!holdings) return false;
  CensusCount count(census);
  PieceRequest request;
  request.walk.brief = true;
  request.walk.max_rows = limits_.rows_per_step;
  request.limit = static_cast<std::size_t>(limits_.rows_per_step);
  for (const auto& [partition, loop] : holdings->held) {
    request.partition = partition;
    request.walk.after.clear();
    for (bool more = true; more;) {
      const auto began = Clock::now();
      auto pending = questions_.put(
          *loop, [request](Loop& at, Now now) { return job_piece(at, request, now); });
      auto piece = LoopQuestions::wait(pending, began + limits_.answer);
      if (!piece) return false;
      for (const ShownJob& job : piece->jobs) count.add(job);
      more = piece->after.has_value();
      if (more) request.walk.after = *std::move(piece->after);
      if (more && !CensusTaker::pause(Clock::now() - began, stop)) return false;
    }
  }
  count.finish();
  return true;
}

}  // namespace penstock
