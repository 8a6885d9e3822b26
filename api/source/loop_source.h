// The Source that asks a worker's loops. It asks each loop on the loop's own thread, in bounded
// steps, and merges the answers. Thread-safe; the loops must outlive it and all of its calls.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "api/source/census_taker.h"
#include "api/source/loop_question.h"
#include "api/source/source.h"
#include "consumer/worker/clock.h"
#include "consumer/worker/runtime.h"

namespace penstock {

class LoopSource final : public Source {
 public:
  using Clock = std::chrono::steady_clock;
  struct Limits {
    std::chrono::milliseconds answer{2'000};  // a loop without an answer by then is silent
    // A list that took this long is returned as far as it has been read.
    std::chrono::milliseconds listing{2'000};
    std::chrono::milliseconds search{10'000};  // for an id under every account
    // A loop that works passes many times a second.
    std::chrono::milliseconds stuck{30'000};
    int rows_per_step = JobWalk::kMaxRowsPerPiece;
  };
  struct Hooks {
    std::function<std::vector<Runtime::QueueLoops>()> loops;
    std::function<std::string()> not_ready;
    std::function<Instant()> boot = [] { return penstock::Clock::boot(); };
  };

  explicit LoopSource(Hooks hooks);
  LoopSource(Hooks hooks, Limits limits);

  [[nodiscard]] std::vector<QueueStatus> status() override;
  [[nodiscard]] bool has_queue(std::string_view queue) override;
  [[nodiscard]] Found<QueueStatus> status(std::string_view queue) override;
  [[nodiscard]] Found<JobListing> list(const JobQuery& query) override;
  [[nodiscard]] Found<JobMatch> find(std::string_view queue, std::string_view id,
                                     std::string_view account) override;
  [[nodiscard]] Found<AccountListing> busiest(std::string_view queue, int limit,
                                              AccountOrder order) override;
  [[nodiscard]] Found<BulkListing> bulks(const BulkQuery& query) override;
  [[nodiscard]] std::vector<PartitionStatus> partitions() override;
  [[nodiscard]] std::vector<LimitUse> limit_uses() override;
  [[nodiscard]] std::vector<OpenBreaker> breakers() override;
  [[nodiscard]] Found<JobCensus> census(std::string_view queue) override;
  [[nodiscard]] Found<std::vector<std::size_t>> watch(
      std::string_view queue, const std::vector<JobIdentity>& jobs,
      const std::shared_ptr<WatchBoard>& board) override;
  [[nodiscard]] std::string stuck() override;
  [[nodiscard]] std::string not_ready() override { return hooks_.not_ready(); }

 private:
  using Queue = Runtime::QueueLoops;
  struct Holdings;

  [[nodiscard]] Found<Queue> queue_of(std::string_view name);
  [[nodiscard]] Found<Holdings> holdings_of(const Queue& queue);
  [[nodiscard]] Found<JobMatch> look_up(const Queue& queue, const Holdings& holdings,
                                        std::string account, std::string id);
  [[nodiscard]] Found<JobMatch> search(const Queue& queue, const Holdings& holdings,
                                       std::string id);
  [[nodiscard]] QueueStatus status_of(const Queue& queue);
  [[nodiscard]] static SourceError silent(std::string_view queue);

  // What every loop of every queue answers, as far as it comes in time.
  template <typename Element, typename Question>
  [[nodiscard]] std::vector<Element> of_all_loops(Question question);
  [[nodiscard]] bool count(const std::string& queue, JobCensus& census,
                           const std::stop_token& stop);

  Hooks hooks_;
  Limits limits_;
  LoopQuestions questions_;
  CensusTaker censuses_;  // last: its thread asks the loops
};

}  // namespace penstock
