// The cursor of jobs that are passed to the handler together: at most one of them has it, and it is
// valid for all of them. The job that leads them takes it, and a job that leaves them leaves it to
// those that stay. Used by the partition's one thread.
#pragma once

#include <span>
#include <string>

#include "consumer/job/job_batch.h"
#include "consumer/task/core/core.h"

namespace penstock {

class BatchCursor {
 public:
  explicit BatchCursor(Core& core) : core_(core) {}

  void move(LiveJob* from, LiveJob* to);
  // A waiting job leaves its batch. The cursor stays with the others, but not with jobs that will
  // run alone, where it would count as their own.
  void leave(LiveJob* job);

 private:
  [[nodiscard]] Heirs leave_in_line(JobRow& row);
  [[nodiscard]] Heirs leave_in_rows(JobRow& row, const std::string& from, const std::string& to);

  Core& core_;
};

}  // namespace penstock
