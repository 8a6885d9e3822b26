// A kind of thing that a job may have to wait for: a limit, a lock, a pause, a breaker. The
// scheduler asks the conditions of a partition in the order in which they were registered, whenever
// a job is about to start; the first whose gate is closed is what the job's line waits at.
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

  // Whether the job may run in one attempt with those of the batch, as far as this condition is
  // concerned. The batch has its first item.
  [[nodiscard]] virtual bool may_join(const JobBatch& batch, LiveJob* job) {
    return static_cast<void>(batch), static_cast<void>(job), true;
  }

  // An attempt of the job, or of the batch that it leads, starts.
  virtual void started(LiveJob* job) { static_cast<void>(job); }

  // The line waits at `gate`, which its first job has found closed.
  virtual void parked(LiveJob* job, const Line& line, const Gate& gate) {
    static_cast<void>(job), static_cast<void>(line), static_cast<void>(gate);
  }

  // What a patient line may keep while its first job waits at `gate` (consumer/schedule/gate.h):
  // gates that the job needs beside it, and that come before it or behind it. Nothing where the
  // gate is none of this condition's, or the job's only one.
  struct Others {
    std::vector<Gate*> before, behind;
  };
  [[nodiscard]] virtual std::optional<Others> others(const LiveJob& job, const Gate& gate) {
    return static_cast<void>(job), static_cast<void>(gate), std::nullopt;
  }
};

}  // namespace penstock
