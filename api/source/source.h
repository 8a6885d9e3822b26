// The HTTP interface's view of the worker behind it. The answers cover this instance alone;
// partitions that other instances own are listed in `not_here`. LoopSource is the real
// implementation; tests use a fake.
//
// Every function may be called from any thread, may block for a bounded time, and never delays a
// loop by more than a few milliseconds at a time.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "consumer/loop/watch/watch_board.h"
#include "consumer/task/task.h"
#include "topics/log.h"
#include "topics/values/types.h"

namespace penstock {

inline constexpr int kDefaultListedJobs = 100;
inline constexpr int kMaxListedJobs = 1000;
inline constexpr int kDefaultListedAccounts = 20;
inline constexpr int kMaxListedAccounts = 1000;
inline constexpr int kDefaultListedBulks = 100;
inline constexpr int kMaxListedBulks = 1000;
inline constexpr std::size_t kMaxAccountsPerId = 100;
inline constexpr std::size_t kMaxListedBreakers = 1000;
inline constexpr std::size_t kMaxListedLimits = 10'000;

enum class SourceFault : std::uint8_t {
  kNoQueue,   // this worker does not run the queue
  kBadAfter,  // `after` is not a position from a list
  kNoAnswer,  // a loop did not answer in time, or the search took too long
};
struct SourceError {
  SourceFault fault;
  std::string detail;
};
template <typename T>
using Found = tl::expected<T, SourceError>;

// What a job's own page shows besides.
struct JobDetail {
  std::string value;  // the record, as it came
  std::vector<Header> headers;
  std::string cursor;  // raw JSON; empty: none
  std::string bulk;
  int priority = 0, weight = 1;
  Time expires_at{}, ended{};  // zero: none
  std::string replay;          // of a copy, as JobRow::replay has it
};

// A job in the form in which the HTTP interface shows it.
struct ShownJob {
  std::string id, queue, type, account;
  JobState state = JobState::kReady;
  int attempt = 0;
  int max_attempts = 0;                 // 0: no policy here knows the type
  Time run_at{}, created{}, started{};  // zero: none
  std::string reason;
  std::string why;                                 // what a live job is waiting for
  std::int64_t progress = -1, progress_total = 0;  // as reported by the handler; -1: not reported
  int snoozes = 0;                                 // in a row
  Offset offset = {};                              // of its record
  Blocker waits = {};                              // for what, as a word, and what is in the way
  std::optional<JobDetail> detail = {};            // only of a job that was asked for by its id
};

// Empty members do not filter.
struct JobQuery {
  std::string queue = {};
  std::optional<JobState> state = {};
  std::string type = {};
  std::string account = {};
  std::string bulk = {};
  std::string error = {};  // the reason contains it
  std::string id = {};     // the id begins with it
  Time from{}, to{};       // admitted then or later, and before then; zero: no bound
  std::string after = {};  // from an earlier answer
  int limit = kDefaultListedJobs;

  [[nodiscard]] bool selects_all() const {
    return !state && type.empty() && account.empty() && bulk.empty() && error.empty() &&
           id.empty() && from == Time{} && to == Time{};
  }
};

// In a stable order: by partition, then in the order of JobWalk. Jobs whose state changes
// meanwhile may be missed or listed twice. A list may have fewer jobs than the limit although there
// are more; `after` tells.
struct JobListing {
  std::vector<ShownJob> jobs;
  std::string after;  // empty: the end
  std::vector<PartitionId> not_here;
};

struct JobIdentity {
  std::string account, id;
};

struct JobMatch {
  std::vector<ShownJob> jobs;         // one per account, at most kMaxAccountsPerId
  std::vector<PartitionId> not_here;  // only partitions that could have it
};

struct AccountLoad {
  std::string account;
  std::uint64_t jobs = 0;  // waiting in line or running; scheduled jobs do not count
  std::uint64_t running = 0;
};
enum class AccountOrder : std::uint8_t {
  kLine,     // the longest line first
  kRunning,  // the most running attempts first
};
struct AccountListing {
  std::vector<AccountLoad> accounts;
  bool complete = true;  // false: the count was cut off, so there may be longer ones
  std::vector<PartitionId> not_here;
};

struct BulkQuery {
  std::string queue = {};
  std::string account = {};  // empty: all
  std::string after = {};    // from an earlier answer
  int limit = kDefaultListedBulks;
};
struct ShownBulk {
  std::string id, account;
  BulkRow counts;
  std::uint64_t running = 0;
  Time estimated_end{};  // zero: unknown
};
// In a stable order: by partition, account and id. `after` as in JobListing.
struct BulkListing {
  std::vector<ShownBulk> bulks;
  std::string after;
  std::vector<PartitionId> not_here;
};

// One queue's figures, summed over the partitions of this instance.
struct QueueStatus {
  std::string queue;
  int partitions = 0;
  int account_concurrency = 0;
  std::vector<PartitionId> not_here;
  std::map<std::string, int> phases;  // how many partitions are in each phase; contains every phase
  TaskCounters counters;              // since the process started
  std::uint64_t commits = 0;
  std::uint64_t running = 0, ready_flows = 0, job_rows = 0, outbox_pending = 0;
  std::map<std::string, std::uint64_t> undelivered;  // late messages, by topic
  // The time per item of bulks, by type: that of the slowest partition.
  std::map<std::string, std::chrono::microseconds> item_times;
  // Of the job that could have started for longest, but for a place or its account's turn; 0: none.
  std::chrono::milliseconds oldest_ready{0};
  std::chrono::milliseconds overdue{0};  // of the job that has been due longest; 0: none
  std::optional<std::chrono::milliseconds> lease_left;  // the smallest of the running partitions
  bool stopped = false;  // by itself, because of its topics; /readyz says why
  int silent_loops = 0;  // that did not answer in time: their figures are missing
};

// A partition of this instance.
struct PartitionStatus {
  std::string queue;
  PartitionId partition = 0;
  std::string phase;
  std::optional<std::chrono::milliseconds> lease_left;  // of a running one
  std::uint64_t jobs = 0;
  std::uint64_t state_bytes = 0;     // approximately
  std::uint64_t bytes_restored = 0;  // of the log, since it came here
};

// Of a limit, as filled in, in one partition.
struct LimitUse {
  std::string name, written;
  std::uint64_t used = 0;     // attempts that hold a slot
  std::uint64_t waiting = 0;  // lines of accounts that wait for one
};

// A circuit breaker that is open: the jobs of this type and account wait for its next probe.
struct OpenBreaker {
  std::string queue, type, account;
  int failures = 0;  // in a row
  Time since{}, next_probe{};
  bool probes = false;  // an attempt runs as its probe
};

// What a walk over all jobs of the queue here has counted. Counts of different partitions are not of
// the same moment.
struct JobCensus {
  static constexpr std::size_t kMaxGroups = 1000, kMaxAccounts = 100;
  struct Group {
    std::string type, error;  // the error's beginning: what jobs that failed alike have in common
    bool dead = false;        // or waiting for a retry
    std::uint64_t jobs = 0;
    Time last{};              // the last failure
    std::string id, account;  // one of the jobs
  };
  struct Account {
    std::string account;
    std::uint64_t jobs = 0, running = 0;
    Time oldest{};
  };
  Time at{};                                     // when it was finished; zero: it never was
  std::map<std::string, std::uint64_t> states;   // by state
  std::map<std::string, std::uint64_t> waiting;  // live jobs by what they wait for (Waits)
  std::vector<Group> failures;                   // most jobs first
  std::vector<Account> oldest;                   // accounts by their oldest live job in line
  bool groups_full = false;                      // there are more than kMaxGroups
};

// Keeps the slowest of several.
inline void add_item_times(std::map<std::string, std::chrono::microseconds>& to,
                           const std::map<std::string, std::chrono::microseconds>& from) {
  for (const auto& [type, took] : from) to[type] = std::max(to[type], took);
}

class Source {
 public:
  virtual ~Source() = default;
  [[nodiscard]] virtual std::vector<QueueStatus> status() = 0;
  [[nodiscard]] virtual bool has_queue(std::string_view queue) = 0;
  [[nodiscard]] virtual Found<QueueStatus> status(std::string_view queue) = 0;
  [[nodiscard]] virtual Found<JobListing> list(const JobQuery& query) = 0;
  // Without an account: the jobs of all accounts with this id.
  [[nodiscard]] virtual Found<JobMatch> find(std::string_view queue, std::string_view id,
                                             std::string_view account) = 0;
  [[nodiscard]] virtual Found<AccountListing> busiest(std::string_view queue, int limit,
                                                      AccountOrder order) = 0;
  [[nodiscard]] virtual Found<BulkListing> bulks(const BulkQuery& query) = 0;
  [[nodiscard]] virtual std::vector<PartitionStatus> partitions() = 0;
  // At most kMaxListedLimits of each loop.
  [[nodiscard]] virtual std::vector<LimitUse> limit_uses() = 0;
  // At most kMaxListedBreakers of each loop.
  [[nodiscard]] virtual std::vector<OpenBreaker> breakers() = 0;
  // The latest census of the queue; starts one if there is none, or if it is old.
  [[nodiscard]] virtual Found<JobCensus> census(std::string_view queue) = 0;
  // From now on, the board is told what becomes of these jobs, of each under its number. Returns
  // those that belong to partitions that are not here.
  [[nodiscard]] virtual Found<std::vector<std::size_t>> watch(
      std::string_view queue, const std::vector<JobIdentity>& jobs,
      const std::shared_ptr<WatchBoard>& board) = 0;
  // A loop that stands still, as a text; empty: they all move. Never waits.
  [[nodiscard]] virtual std::string stuck() = 0;
  // Empty: ready.
  [[nodiscard]] virtual std::string not_ready() = 0;
};

}  // namespace penstock
