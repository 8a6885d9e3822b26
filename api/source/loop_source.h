// The Source over a worker's loops. Asks each on its own thread, in bounded pieces, and merges the
// answers. Thread-safe; the loops must outlive it and every call of it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "api/source/loop_question.h"
#include "api/source/source.h"
#include "consumer/worker/runtime.h"

namespace penstock {

class LoopSource final : public Source {
 public:
  using Clock = std::chrono::steady_clock;
  struct Limits {
    std::chrono::milliseconds answer{2'000};  // a loop that has not answered by then is silent
    std::chrono::milliseconds listing{
        2'000};  // a list that took this long is given as far as it is
    std::chrono::milliseconds search{10'000};  // of an id under every account
    int rows_a_piece = JobWalk::kMaxRowsPerPiece;
  };
  struct Hooks {
    std::function<std::vector<Runtime::QueueLoops>()> loops;
    std::function<std::string()> not_ready;
  };

  explicit LoopSource(Hooks hooks);
  LoopSource(Hooks hooks, Limits limits);

  [[nodiscard]] std::vector<QueueStatus> status() override;
  [[nodiscard]] bool has_queue(std::string_view queue) override;
  [[nodiscard]] Found<QueueStatus> status(std::string_view queue) override;
  [[nodiscard]] Found<JobListing> list(const JobQuery& query) override;
  [[nodiscard]] Found<JobMatch> find(std::string_view queue, std::string_view id,
                                     std::string_view account) override;
  [[nodiscard]] Found<AccountListing> busiest(std::string_view queue, int limit) override;
  [[nodiscard]] Found<BulkListing> bulks(const BulkQuery& query) override;
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

  Hooks hooks_;
  Limits limits_;
  LoopQuestions questions_;
};

}  // namespace penstock
