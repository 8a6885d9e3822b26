// What happens to a job after its attempt (docs/handlers.md): it ends, or it runs again, at once or
// later. A job of a batch comes here with its own outcome or with the attempt's.
//
// A job that yields, having run for its type's max_runtime, goes behind all jobs of its account
// that are there, and before those that come later.
//
// Used by the partition's one thread.
#pragma once

#include "consumer/job/handler.h"
#include "consumer/task/core/core.h"
#include "consumer/task/outcome/endings.h"
#include "consumer/task/outcome/placement.h"
#include "consumer/task/outcome/unique_keys.h"

namespace penstock {

class Outcomes {
 public:
  Outcomes(Core& core, Endings& endings, Placement& placement, UniqueKeys& unique)
      : core_(core), endings_(endings), placement_(placement), unique_(unique) {}

  void finish(LiveJob* job, const OutcomeValue& outcome);
  // It has failed and waits for its retry. The attempt is not counted here.
  void retry(LiveJob* job, Duration wait);

  // Whether the job has run for max_runtime, so that it yields.
  [[nodiscard]] static bool has_run_long(const LiveJob& job);

 private:
  void finish_as(LiveJob* job, const Done& outcome);
  void finish_as(LiveJob* job, const NextIteration& outcome);
  void finish_as(LiveJob* job, const RetryLater& outcome);
  void finish_as(LiveJob* job, const Snooze& outcome);
  void finish_as(LiveJob* job, const Discard& outcome);
  void finish_as(LiveJob* job, const CancelJob& outcome);
  void finish_as(LiveJob* job, const Interrupted& outcome);
  void give_turn_up(LiveJob* job);

  Core& core_;
  Endings& endings_;
  Placement& placement_;
  UniqueKeys& unique_;
};

}  // namespace penstock
