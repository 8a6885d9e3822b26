// The accounts' lines: for each account with live jobs a Flow, and in it the lines whose jobs keep
// their order among themselves: one a type, or one in all where the queue is strict. A line's first
// jobs are in memory, its further ones are rows only:
//
//   in memory:  every job of the line up to `loaded_to`, and jobs that have no row yet
//   rows only:  behind `loaded_to`, if `more`
//
// So memory is bounded by the number of lines, not of jobs, and a start needs no look-up. A line
// whose first job must wait (Line::gate) does not hold back the account's other lines.
//
// Where the queue is "fair", the account's lines belong to Shares: one a bulk, and one for the jobs
// without bulk. A line's name is then its type, and for a bulk's chunks behind it a 0 byte and the
// digest of the bulk's id.
#pragma once

#include <absl/container/btree_map.h>
#include <absl/container/flat_hash_map.h>

#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "consumer/job/job_batch.h"
#include "consumer/job/live_job.h"
#include "consumer/schedule/fair_queue.h"
#include "consumer/schedule/gate.h"
#include "state/store/view.h"
#include "topics/values/text_hash.h"

namespace penstock {

struct Flow;
struct Share;

inline constexpr LinePlace kNothingLoaded{INT64_MIN, Offset{-1}};

// Between two offsets lie so many turns, for the jobs that gave theirs up.
inline constexpr std::int64_t kTurnsAnOffset = 1024;
[[nodiscard]] constexpr std::int64_t turn_of(Offset offset) {
  return offset.value * kTurnsAnOffset;
}
// The `order` of a job that goes on with what it has kept from its last iteration: before all
// others of its line, which may need that.
inline constexpr std::int64_t kGoesOnFirst = INT64_MIN + 1;

struct Line {
  Flow* flow = nullptr;
  Share* share = nullptr;  // where the queue is "fair"
  std::string name;        // as in the keys of its rows: the type, or empty
  LiveJobList jobs;
  bool more = false;
  LinePlace loaded_to = kNothingLoaded;
  // Strict: the first job's time has not come. A batch: it is being collected. Zero when not
  // blocked.
  Time blocked_until{};
  GatePlace gate;           // what its first job waits for, and what it has been promised
  bool is_at_gate = false;  // in Shares::at_gates
  std::unique_ptr<Collection> collection;  // of its next batch, while the line is blocked for that

  [[nodiscard]] bool has_jobs() const { return more || !jobs.empty(); }
  [[nodiscard]] bool ready() const {
    return has_jobs() && blocked_until == Time{} && !gate.waits_at;
  }
};

// Lines that take turns together: an account's, or those of one of its bulks.
struct LineSet {
  FairTag fair;  // first: the fair queue's tag is the set
  Line own;      // most need no further one
  std::vector<std::unique_ptr<Line>> others;

  [[nodiscard]] static LineSet* of(FairTag* tag) { return reinterpret_cast<LineSet*>(tag); }
  [[nodiscard]] bool has_jobs() const {
    return any([](const Line& line) { return line.has_jobs(); });
  }
  [[nodiscard]] bool ready() const {
    return any([](const Line& line) { return line.ready(); });
  }

  template <typename Function>
  bool any(Function function) const {
    if (function(own)) return true;
    for (const auto& line : others) {
      if (function(*line)) return true;
    }
    return false;
  }
  template <typename Function>
  void each(Function function) {
    function(own);
    for (const auto& line : others) function(*line);
  }
};

// A bulk of an account, or the account's jobs without bulk: what shares the account's turns.
struct Share : LineSet {
  Flow* flow = nullptr;
  std::string name;  // what follows the type in its lines' names; empty: the jobs without bulk
  std::size_t running = 0;  // of the flow's running jobs

  [[nodiscard]] bool idle() const { return running == 0 && !has_jobs(); }
  [[nodiscard]] static Share* of(FairTag* tag) { return static_cast<Share*>(LineSet::of(tag)); }
};

// Those of an account's lines that may wait at a gate, or have a promise: each once.
class LinesAtGates {
 public:
  void add(Line& line) {
    if (!std::exchange(line.is_at_gate, true)) lines_.push_back(&line);
  }
  template <typename Function>
  void each(Function function) {
    for (Line* const line : lines_) function(*line);
    forget_others();
  }
  // To be called before a line goes.
  void forget_others() {
    std::erase_if(lines_, [](Line* line) {
      if (line->gate.unused()) line->is_at_gate = false;
      return line->gate.unused();
    });
  }

 private:
  std::vector<Line*> lines_;
};

// An account's shares; there only where the queue is "fair".
struct Shares {
  Shares() = default;
  explicit Shares(FairClock& clock) : queue(clock) {}

  FairQueue queue;  // of those that have something to run
  absl::btree_map<std::string, std::unique_ptr<Share>, std::less<>> by_name;
  LinesAtGates at_gates;
  // Of Turns, where bulks compete whatever their account.
  std::int64_t back_at = 0;  // virtual time when the account last had room again
  bool room = false;
  bool listed = false;
  std::pair<std::int64_t, std::uint64_t> rank;  // by which it is listed: its best share's,
  std::uint64_t oldest = 0;                     // and its oldest one's arrival
};

struct Flow : LineSet {
  std::string account;
  LiveJobList running;
  std::unique_ptr<Shares> shares;  // if any, they have all of its lines

  [[nodiscard]] static Flow* of(FairTag* tag) { return static_cast<Flow*>(LineSet::of(tag)); }
  [[nodiscard]] bool has_jobs() const {
    return any([](const Line& line) { return line.has_jobs(); });
  }
  [[nodiscard]] bool idle() const { return running.empty() && !has_jobs(); }
  // It runs as many attempts as an account may.
  [[nodiscard]] bool is_full(int account_concurrency) const {
    return running.size() >= static_cast<std::size_t>(account_concurrency);
  }

  // Every job of its running attempts, a batch's all.
  template <typename Function>
  void each_running(Function function) const {
    for (LiveJob* job = running.first(); job;) {
      LiveJob* const next = job->next;
      job->batch ? job->batch->each(function) : function(job);
      job = next;
    }
  }

  template <typename Function>
  bool any(Function function) const {
    if (!shares) return LineSet::any(function);
    for (const auto& [name, share] : shares->by_name) {
      if (share->any(function)) return true;
    }
    return false;
  }
  template <typename Function>
  void each(Function function) {
    if (!shares) return LineSet::each(function);
    for (const auto& [name, share] : shares->by_name) share->each(function);
  }
};

// Lines by the time until which they are blocked; by name where that is the same, so that the order
// is the same in every process.
struct BlockedLess {
  bool operator()(const std::pair<Time, Line*>& a, const std::pair<Time, Line*>& b) const {
    return std::tie(a.first, a.second->flow->account, a.second->name) <
           std::tie(b.first, b.second->flow->account, b.second->name);
  }
};

// The share that a line of this name belongs to.
[[nodiscard]] constexpr std::string_view share_name(std::string_view line) {
  const std::size_t end = line.find('\0');
  return end == line.npos ? std::string_view() : line.substr(end + 1);
}

class Lines {
 public:
  // Jobs of a line that stay in memory when there is room, and when there is none.
  static constexpr std::size_t kKeptJobs = 64;
  static constexpr std::size_t kMaxLiveJobs = 1 << 16;
  // Accounts of one partition that are in memory; the jobs of further ones stay rows
  // (consumer/schedule/line_rest.h).
  static constexpr std::size_t kMaxFlows = 1 << 20;
  static constexpr std::size_t kRefill = 16;
  static constexpr std::size_t kBatchRefill = 256;

  // Whether accounts have shares, and whether the shares of all accounts compete by one clock.
  enum class Sharing : std::uint8_t { kNone, kWithinAccounts, kByOneClock };

  Lines(View& view, LiveJobPool& pool, Sharing sharing = Sharing::kNone, FairClock* clock = nullptr,
        std::size_t max_live_jobs = kMaxLiveJobs, std::size_t max_flows = kMaxFlows)
      : view_(view),
        pool_(pool),
        sharing_(sharing),
        clock_(clock),
        max_live_jobs_(max_live_jobs),
        max_flows_(max_flows) {}

  [[nodiscard]] Flow* find(std::string_view account);
  [[nodiscard]] Flow& make(std::string_view account);
  // Whether a new account may come into memory, and whether this one is there or may come.
  [[nodiscard]] bool has_room() const { return flows_.size() < max_flows_; }
  [[nodiscard]] bool has_room_for(std::string_view account) { return has_room() || find(account); }
  [[nodiscard]] static Line* find(Flow& flow, std::string_view line);
  // Where there are many it forgets those without jobs, which nobody may have at hand then.
  [[nodiscard]] static Line& make(Flow& flow, std::string_view line);
  // Forgets a flow that has neither jobs nor attempts.
  void forget(Flow& flow);
  // Forgets a share that has neither.
  static void forget(Share& share);
  // Sets the weight by the share's first job: a chunk's weight is its bulk's, and that of a job
  // without bulk is its account's, if accounts compete.
  void weigh(Share& share) const;
  void weigh(Share& share, int weight) const;

  // Whether a job of this place would lie among the loaded ones; if not, its row alone is enough.
  [[nodiscard]] static bool loads(const Line& line, const LinePlace& place) {
    return !line.more || place <= line.loaded_to;
  }
  // Loads until it would.
  void load_to(Line& line, const LinePlace& place);
  // Puts a job into its place in memory.
  static void insert(Line& line, LiveJob* job);

  // Whether as many jobs are in memory as may be: a line's first job is then loaded alone.
  [[nodiscard]] bool is_crowded() const { return pool_.in_use() >= max_live_jobs_; }

  // The line's first job, loaded if it has to be; null when the line is empty.
  [[nodiscard]] LiveJob* first(Line& line);
  // The job behind this one of the same line, loaded if it has to be; null when there is none.
  [[nodiscard]] LiveJob* next(LiveJob* job);
  // The first job among the lines that do not wait; null when there is none.
  [[nodiscard]] LiveJob* first(LineSet& set);

  // Drops the jobs behind the first `keep` from memory, but for those that have kept something. All
  // of them must have rows.
  void trim(Line& line, std::size_t keep);
  // The same, as far as they need not be saved.
  void trim_saved(Line& line, std::size_t keep);

  // Flows that are kept for reuse, and how many more one call frees. Nobody may have a forgotten
  // flow at hand.
  static constexpr std::size_t kMaxSpareFlows = 1024;
  static constexpr std::size_t kMaxFreedPerStep = 1024;
  // Gives back memory that only a peak needed, a bounded piece.
  void give_memory_back();

  [[nodiscard]] std::size_t flows() const { return flows_.size(); }
  [[nodiscard]] std::size_t spare_flows() const { return free_.size(); }
  template <typename Function>
  void each(Function function) {
    for (auto& [account, flow] : flows_) function(*flow);
  }

 private:
  [[nodiscard]] std::size_t refill_size() const;
  void refill(Line& line, std::size_t most);
  void drop_last(Line& line);
  [[nodiscard]] static std::vector<std::string_view> running_rows(const Flow& flow);

  View& view_;
  LiveJobPool& pool_;
  const Sharing sharing_;
  FairClock* const clock_;
  const std::size_t max_live_jobs_, max_flows_;
  absl::flat_hash_map<std::string_view, std::unique_ptr<Flow>, TextHash, TextEqual>
      flows_;  // keyed by Flow::account
  std::vector<std::unique_ptr<Flow>> free_;
};

}  // namespace penstock
