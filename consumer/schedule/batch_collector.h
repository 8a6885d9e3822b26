// Jobs of one type and account that are passed to the handler together: when, and which ones. The
// rows alone decide which jobs these are, so after a restart a batch is collected again, and
// nothing is passed on twice.
//
//  - A line whose first job's type has a batch policy is blocked while its next batch is collected,
//    and while one of its batches runs.
//  - Jobs that failed together are retried together, and with no others (JobRow::batch).
//
// consumer/task/outcome/batch_outcomes.h decides what happens after the attempt. Used by the
// partition's one thread.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "consumer/job/job_batch.h"
#include "consumer/job/line_order.h"
#include "consumer/schedule/blocked_lines.h"
#include "consumer/schedule/condition.h"
#include "consumer/schedule/lines/lines.h"

namespace penstock {

class BatchCollector {
 public:
  // `now` is the task's time, which it keeps.
  BatchCollector(LineOrder order, Lines& lines, BlockedLines& blocked,
                 const std::vector<Condition*>& conditions, const Time& now)
      : order_(order), lines_(lines), blocked_(blocked), conditions_(conditions), now_(now) {}

  // Until when the line waits for its next batch with this job, its first; nothing if the batch may
  // start. `rest_is_due`: some of the jobs that belong to the batch are due and in no line yet.
  [[nodiscard]] std::optional<Time> waits_until(LiveJob* first, bool rest_is_due);
  // A job enters the line at its position. True: what the line waits for must be looked at again.
  [[nodiscard]] bool joins(Line& line, const LiveJob* job);

  // The jobs that run in one attempt with the first of a line. `cost_of`: what else the end of a
  // job may add to the commit, in bytes.
  struct Gathered {
    std::unique_ptr<JobBatch> batch;
    LiveJob* has_cursor = nullptr;  // the job with the cursor of those that were together before
  };
  using CostFunction = std::function<std::size_t(const JobRow&)>;
  [[nodiscard]] Gathered gather(LiveJob* first, const CostFunction& cost_of);

  // The first job of the line's running batch; null: none runs.
  [[nodiscard]] LiveJob* running_batch(const Line& line) const;
  void measured(const TypeRuntime* type, std::size_t items, std::chrono::microseconds took) {
    sizers_[type].measured(items, took);
  }

 private:
  [[nodiscard]] int size_for(const LiveJob* first) const;
  [[nodiscard]] std::unique_ptr<Collection> collect(LiveJob* first);
  void add(Collection& collection, const JobRow& row, Collect collect);
  [[nodiscard]] static bool can_join(const LiveJob* first, const LiveJob* job, Time now);
  [[nodiscard]] bool may_join(const JobBatch& batch, LiveJob* job) const;

  const LineOrder order_;
  Lines& lines_;
  BlockedLines& blocked_;
  const std::vector<Condition*>& conditions_;
  const Time& now_;
  absl::flat_hash_map<const TypeRuntime*, BatchSizer> sizers_;
  ArgumentsDigest arguments_;
};

}  // namespace penstock
