// A kind of thing that a job may have to wait for: a limit, a lock, a pause, a breaker. Whenever a
// job is about to start, the scheduler asks the conditions of a partition in the order in which
// they were registered; the job's line waits at the first gate that is closed.
//
// A new kind is one class that implements this, and its registration in consumer/task/core/core.cc.
// Implementations belong to the partition's one thread.
#pragma once

#include <optional>
#include <vector>

#include "consumer/schedule/gate.h"

namespace penstock {

class Condition {
 public:
  virtual ~Condition() = default;

  // The gate that the line must wait at with this job, its first; null: the job may start.
  [[nodiscard]] virtual Gate* closed(LiveJob* job, const Line& line) = 0;

  // Whether this condition lets the job run in one attempt with those of the batch, which has its
  // first item.
  [[nodiscard]] virtual bool may_join(const JobBatch& batch, LiveJob* job) {
    return static_cast<void>(batch), static_cast<void>(job), true;
  }

  // An attempt of the job, or of the batch that it leads, starts.
  virtual void started(LiveJob* job) { static_cast<void>(job); }

  // The line waits at `gate`, which was closed to its first job.
  virtual void parked(LiveJob* job, const Line& line, const Gate& gate) {
    static_cast<void>(job), static_cast<void>(line), static_cast<void>(gate);
  }

  // What a patient line may keep while its first job waits at `gate` (consumer/schedule/gate.h):
  // the gates that the job needs besides, before it and behind it. Nothing if the gate is not one
  // of this condition's, or is the only one that the job needs.
  struct Others {
    std::vector<Gate*> before, behind;
  };
  [[nodiscard]] virtual std::optional<Others> others(const LiveJob& job, const Gate& gate) {
    return static_cast<void>(job), static_cast<void>(gate), std::nullopt;
  }
};

}  // namespace penstock
