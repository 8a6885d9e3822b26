// An account in memory: its Flow, and in it the lines whose jobs keep their order among themselves,
// one per type, or one in all where the queue is strict. A line's first jobs are in memory, its
// further ones are rows only:
//
//   in memory:  every job of the line up to `loaded_to`, and jobs that have no row yet
//   rows only:  behind `loaded_to`, if `more`
//
// The copies of replays have lines of their own, which get a turn only when none of the account's
// other lines is ready.
//
// Where the queue is "fair", the account's lines belong to Shares: one per bulk, one for the jobs
// without a bulk, and one for all copies. consumer/job/line_order.h has the grammar of their names.
//
// Values; consumer/schedule/lines/lines.h makes and forgets them, and the scheduler changes them.
#pragma once

#include <absl/container/btree_map.h>

#include <algorithm>
#include <compare>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "consumer/job/job_batch.h"
#include "consumer/job/line_order.h"
#include "consumer/job/live_job.h"
#include "consumer/schedule/lines/fair_queue.h"
#include "consumer/schedule/lines/ready_place.h"

namespace penstock {

class Gate;
struct Flow;
struct Share;

inline constexpr LinePlace kNothingLoaded{INT64_MIN, JobSeq{}};

// The `order` of a job that goes on holding something from its last iteration: before all others of
// its line, which may need what it holds.
inline constexpr std::int64_t kGoesOnFirst = INT64_MIN + 1;

// The scheduler's order among lines that wait: by the flow's virtual tag, then by arrival.
struct GateRank {
  std::int64_t tag = 0;
  std::uint64_t arrival = 0;
  friend constexpr auto operator<=>(const GateRank&, const GateRank&) = default;
};

// A line's side of it.
struct GatePlace {
  Gate* waits_at = nullptr;
  Gate* promised_by = nullptr;
  std::vector<Gate*> kept = {};  // promises of the gates before the one where it waits
  int looks = 0;                 // at several gates, one of which was closed; up to kMaxLooks
  GateRank rank;

  [[nodiscard]] bool unused() const { return !waits_at && !promised_by && kept.empty(); }
  [[nodiscard]] bool keeps(const Gate* gate) const {
    return std::find(kept.begin(), kept.end(), gate) != kept.end();
  }
};

struct Line {
  ReadyPlace ready_place{this};
  Flow* flow = nullptr;
  Share* share = nullptr;  // where the queue is "fair"
  std::string name;        // as in the keys of its rows
  bool copies = false;     // of replays: its name says so
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
  // Whether a line is that has no copies.
  [[nodiscard]] bool ready_but_for_copies() const {
    return any([](const Line& line) { return !line.copies && line.ready(); });
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
  std::string name;  // what follows the type in its lines' names; empty: the jobs without bulk;
                     // kCopiesMark: the copies
  std::size_t running = 0;  // of the flow's running jobs
  bool copies = false;      // of replays: it gets a turn when no other share of the flow is ready

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

  FairQueue queue;  // of those that have something to run, but for the copies
  Share* copies = nullptr;
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
  bool had_copies = false;         // some of its lines may be of copies
  bool among_copies = false;       // of Turns: only copies of it are ready

  [[nodiscard]] static Flow* of(FairTag* tag) { return static_cast<Flow*>(LineSet::of(tag)); }
  [[nodiscard]] bool has_jobs() const {
    return any([](const Line& line) { return line.has_jobs(); });
  }
  [[nodiscard]] bool idle() const { return running.empty() && !has_jobs(); }
  // It runs as many attempts as an account may.
  [[nodiscard]] bool is_full(int account_concurrency) const {
    return running.size() >= static_cast<std::size_t>(account_concurrency);
  }

  // Whether copies of it could run, if it has room.
  [[nodiscard]] bool has_ready_copies() const {
    if (!had_copies) return false;
    if (shares) return shares->copies && shares->copies->ready();
    return any([](const Line& line) { return line.copies && line.ready(); });
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
  // The lines of copies, without a look at the account's bulks.
  template <typename Function>
  void each_of_copies(Function function) {
    if (!had_copies) return;
    LineSet* const set = shares ? shares->copies : static_cast<LineSet*>(this);
    if (!set) return;
    set->each([&](Line& line) {
      if (line.copies) function(line);
    });
  }
};

[[nodiscard]] constexpr bool is_copies_line(std::string_view line) {
  return line.starts_with(kCopiesMark);
}

// The share that a line of this name belongs to.
[[nodiscard]] constexpr std::string_view share_name(std::string_view line) {
  if (is_copies_line(line)) return kCopiesMark;
  const std::size_t end = line.find('\0');
  return end == line.npos ? std::string_view() : line.substr(end + 1);
}

}  // namespace penstock
