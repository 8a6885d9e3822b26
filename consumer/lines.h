// The accounts' lines: for each account with live jobs a Flow, and in it the lines whose jobs keep their order
// among themselves: one a type, or one in all where the queue is strict. A line's first jobs are in memory, its
// further ones are rows only:
//
//   in memory:  every job of the line up to `loaded_to`, and jobs that have no row yet
//   rows only:  behind `loaded_to`, if `more`
//
// So memory is bounded by the number of lines, not of jobs, and a start needs no look-up. A line whose first job
// must wait (Line::gate) does not hold back the account's other lines.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "consumer/fair_queue.h"
#include "consumer/gate.h"
#include "consumer/live_job.h"
#include "consumer/text_hash.h"
#include "state/view.h"

namespace penstock {

struct Flow;

inline constexpr LinePlace kNothingLoaded{INT64_MIN, Offset{-1}};

struct Line {
  Flow* flow = nullptr;
  std::string name;  // as in the keys of its rows: the type, or empty
  LiveJobList jobs;
  bool more = false;
  LinePlace loaded_to = kNothingLoaded;
  Time blocked_until{};  // strict: the first job's time has not come; zero when not blocked
  GatePlace gate;        // what its first job waits for, and what it has been promised

  [[nodiscard]] bool has_jobs() const { return more || !jobs.empty(); }
  [[nodiscard]] bool ready() const {
    return has_jobs() && blocked_until == Time{} && !gate.waits_at;
  }
};

struct Flow {
  FairTag fair;  // first: the fair queue's tag is the flow
  std::string account;
  LiveJobList running;
  Line own;  // most accounts need no further one
  std::vector<std::unique_ptr<Line>> others;

  [[nodiscard]] static Flow* of(FairTag* tag) { return reinterpret_cast<Flow*>(tag); }
  [[nodiscard]] bool has_jobs() const {
    return any([](const Line& line) { return line.has_jobs(); });
  }
  [[nodiscard]] bool ready() const {
    return any([](const Line& line) { return line.ready(); });
  }
  [[nodiscard]] bool idle() const { return running.empty() && !has_jobs(); }

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

class Lines {
 public:
  // Jobs of a line that stay in memory when there is room, and when there is none.
  static constexpr std::size_t kKeptJobs = 64;
  static constexpr std::size_t kMaxLiveJobs = 1 << 16;
  static constexpr std::size_t kRefill = 16;

  Lines(View& view, LiveJobPool& pool) : view_(view), pool_(pool) {}

  [[nodiscard]] Flow* find(std::string_view account);
  [[nodiscard]] Flow& make(std::string_view account);
  [[nodiscard]] static Line* find(Flow& flow, std::string_view line);
  [[nodiscard]] static Line& make(Flow& flow, std::string_view line);
  // Forgets a flow that has neither jobs nor attempts.
  void forget(Flow& flow);
  // Forgets the lines without jobs, where they are many.
  static void tidy(Flow& flow);

  // Whether a job of this place would lie among the loaded ones; if not, its row alone is enough.
  [[nodiscard]] static bool loads(const Line& line, const LinePlace& place) {
    return !line.more || place <= line.loaded_to;
  }
  // Puts a job into its place in memory.
  static void insert(Line& line, LiveJob* job);

  // The line's first job, loaded if it has to be; null when the line is empty.
  [[nodiscard]] LiveJob* first(Line& line);
  // The flow's first job among the lines that do not wait; null when there is none.
  [[nodiscard]] LiveJob* first(Flow& flow);

  // Drops the jobs behind the first `keep` from memory. All of them must have rows.
  void trim(Line& line, std::size_t keep);

  // Makes a flow for every account that has rows; its jobs are loaded when their turn comes.
  void rebuild(const std::function<void(Flow&)>& found);

  [[nodiscard]] std::size_t flows() const { return flows_.size(); }
  template <typename Function>
  void each(Function function) {
    for (auto& [account, flow] : flows_) function(*flow);
  }

 private:
  void refill(Line& line);
  [[nodiscard]] static bool runs(const Flow& flow, std::string_view row_key);

  View& view_;
  LiveJobPool& pool_;
  absl::flat_hash_map<std::string_view, Flow*, TextHash, TextEqual> flows_;  // keyed by Flow::account
  std::vector<std::unique_ptr<Flow>> storage_;
  std::vector<Flow*> free_;
};

}  // namespace penstock
