// The lines of all accounts of a partition, as many of their jobs in memory as there is room for:
// memory is bounded by the number of lines, not of jobs, and a start needs no look-up. A line whose
// first job must wait (Line::gate) does not block the account's other lines.
//
// Used by the partition's one thread.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "consumer/schedule/lines/line.h"
#include "state/store/view.h"
#include "topics/values/text_hash.h"

namespace penstock {

class Lines {
 public:
  // Jobs of a line that stay in memory when there is room, and when there is none.
  static constexpr std::size_t kKeptJobs = 64;
  static constexpr std::size_t kMaxLiveJobs = 1 << 16;
  // Accounts of one partition that are in memory; the jobs of further ones stay rows
  // (consumer/schedule/lines/line_rest.h).
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
  // The job of this identity that is in memory, in a line or running; null: there is none.
  [[nodiscard]] LiveJob* find_job(std::string_view account, std::string_view id);
  // Whether a new account may come into memory, and whether this one is there or may come.
  [[nodiscard]] bool has_room() const { return flows_.size() < max_flows_; }
  [[nodiscard]] bool has_room_for(std::string_view account) { return has_room() || find(account); }
  [[nodiscard]] static Line* find(Flow& flow, std::string_view line);
  // If there are many lines, it forgets those without jobs, which no caller may still refer to.
  [[nodiscard]] static Line& make(Flow& flow, std::string_view line);
  // Forgets a flow that has neither jobs nor attempts.
  void forget(Flow& flow);
  // Forgets a share that has neither.
  static void forget(Share& share);
  // Sets the weight by the share's first job: a chunk's weight is its bulk's, and that of a job
  // without bulk is its account's, if accounts compete.
  void weigh(Share& share) const;
  void weigh(Share& share, int weight) const;

  // Whether a job at this position belongs among the loaded ones; if not, its row alone is enough.
  [[nodiscard]] static bool loads(const Line& line, const LinePlace& place) {
    return !line.more || place <= line.loaded_to;
  }
  // Loads jobs until this position belongs among them.
  void load_to(Line& line, const LinePlace& place);
  // Inserts a job at its position in memory.
  static void insert(Line& line, LiveJob* job);

  // Whether as many jobs are in memory as may be: a line's first job is then loaded alone.
  [[nodiscard]] bool is_crowded() const { return pool_.in_use() >= max_live_jobs_; }

  // The line's first job, loaded if it has to be; null when the line is empty.
  [[nodiscard]] LiveJob* first(Line& line);
  // The job behind this one of the same line, loaded if it has to be; null when there is none.
  [[nodiscard]] LiveJob* next(LiveJob* job);
  // The first job among the lines that do not wait; null when there is none.
  [[nodiscard]] LiveJob* first(LineSet& set);

  // Drops the jobs behind the first `keep` from memory, except those that go on holding something.
  // All of them must have rows.
  void trim(Line& line, std::size_t keep);
  // The same, as far as they need not be saved first.
  void trim_saved(Line& line, std::size_t keep);

  // How many flows are kept for reuse, and how many of the others one call frees. No caller may
  // still refer to a forgotten flow.
  static constexpr std::size_t kMaxSpareFlows = 1024;
  static constexpr std::size_t kMaxFreedPerStep = 1024;
  // Frees memory that only a peak needed, a bounded amount per call.
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
