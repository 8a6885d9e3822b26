// The accounts' lines: for each account with live jobs a Flow, whose first jobs are in memory and whose
// further ones are rows only.
//
//   in memory:  every job of the flow up to `loaded_to`, and jobs that have no row yet
//   rows only:  behind `loaded_to`, if `more`
//
// So memory is bounded by the number of flows, not of jobs, and a start needs no look-up.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "consumer/fair_queue.h"
#include "consumer/live_job.h"
#include "consumer/text_hash.h"
#include "state/view.h"

namespace penstock {

struct Flow {
  FairTag fair;  // first: the fair queue's tag is the flow
  std::string account;
  LiveJobList line;
  LiveJobList running;
  bool more = false;
  LinePlace loaded_to{INT64_MIN, Offset{-1}};
  Time blocked_until{};  // strict: the first job's time has not come; zero when not blocked

  [[nodiscard]] static Flow* of(FairTag* tag) { return reinterpret_cast<Flow*>(tag); }
  [[nodiscard]] bool has_jobs() const { return more || !line.empty(); }
  [[nodiscard]] bool idle() const { return !has_jobs() && running.empty(); }
};

class Lines {
 public:
  // Jobs of a flow that stay in memory when there is room, and when there is none.
  static constexpr std::size_t kKeptJobs = 64;
  static constexpr std::size_t kMaxLiveJobs = 1 << 16;
  static constexpr std::size_t kRefill = 16;

  Lines(View& view, LiveJobPool& pool) : view_(view), pool_(pool) {}

  [[nodiscard]] Flow* find(std::string_view account);
  [[nodiscard]] Flow& make(std::string_view account);
  // Forgets a flow that has neither jobs nor attempts.
  void forget(Flow& flow);

  // Whether a job of this place would lie among the loaded ones; if not, its row alone is enough.
  [[nodiscard]] static bool loads(const Flow& flow, const LinePlace& place) {
    return !flow.more || place <= flow.loaded_to;
  }
  // Puts a job into its place in memory.
  static void insert(Flow& flow, LiveJob* job);

  // The flow's first job, loaded if it has to be; null when the line is empty.
  [[nodiscard]] LiveJob* first(Flow& flow);

  // Drops the jobs behind the first `keep` from memory. All of them must have rows.
  void trim(Flow& flow, std::size_t keep);

  // Makes a flow for every account that has rows; its jobs are loaded when their turn comes.
  void rebuild(const std::function<void(Flow&)>& found);

  [[nodiscard]] std::size_t flows() const { return flows_.size(); }
  template <typename Function>
  void each(Function function) {
    for (auto& [account, flow] : flows_) function(*flow);
  }

 private:
  void refill(Flow& flow);
  [[nodiscard]] static bool runs(const Flow& flow, const LinePlace& place);

  View& view_;
  LiveJobPool& pool_;
  absl::flat_hash_map<std::string_view, Flow*, TextHash, TextEqual> flows_;  // keyed by Flow::account
  std::vector<std::unique_ptr<Flow>> storage_;
  std::vector<Flow*> free_;
};

}  // namespace penstock
