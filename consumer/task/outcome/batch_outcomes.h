// What happens to the jobs of a batch after their attempt: an item with an outcome of its own
// leaves the batch with it; the others share the attempt's outcome.
//
//  - Jobs that failed together are retried together, and with no others (JobRow::batch), each with
//    its own attempts; under "split", as two halves. A job that fails alone stays alone.
//  - Jobs that continue together have one cursor (consumer/task/outcome/batch_cursor.h).
//
// consumer/schedule/batch_collector.h decides which jobs form a batch. Used by the partition's one
// thread.
#pragma once

#include <span>
#include <string>

#include "consumer/job/job_batch.h"
#include "consumer/task/core/core.h"
#include "consumer/task/core/task_host.h"
#include "consumer/task/outcome/endings.h"
#include "consumer/task/outcome/outcomes.h"

namespace penstock {

class BatchOutcomes {
 public:
  BatchOutcomes(Core& core, Endings& endings, Outcomes& outcomes)
      : core_(core), endings_(endings), outcomes_(outcomes) {}

  void finish(const JobBatch& batch, AttemptResult result);

 private:
  using Items = std::span<const JobBatch::Item>;

  void keep_cursor(Items items, const OutcomeValue& outcome, std::string cursor);
  void finish_alone(const JobBatch::Item& item, OutcomeValue outcome);
  void finish_item(const JobBatch::Item& item, const OutcomeValue& outcome);
  void finish_folded(LiveJob* job, const std::string& stood, const OutcomeValue& outcome);
  void finish_rest(Items rest, OutcomeValue outcome);
  void retry_together(Items items, RetryLater failed);
  void split(Items items, const RetryLater& failed, Duration wait);
  void go_on_together(Items items, const NextIteration& next);

  Core& core_;
  Endings& endings_;
  Outcomes& outcomes_;
};

}  // namespace penstock
