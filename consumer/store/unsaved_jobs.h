// The jobs in memory whose rows the next commit has to write, and how many bytes these are: if too
// many have gathered, a partition takes no more work until it has committed.
//
// What always holds: a job is in the set once, and counts with the size that it had when it was
// last marked; before its size changes it must be forgotten, or afterwards marked.
//
// Used by the partition's one thread.
#pragma once

#include <cstddef>
#include <vector>

#include "consumer/job/live_job.h"

namespace penstock {

class UnsavedJobs {
 public:
  void mark(LiveJob* job);
  void forget(LiveJob* job);

  [[nodiscard]] bool empty() const { return jobs_.empty(); }
  [[nodiscard]] LiveJob* last() const { return jobs_.back(); }
  [[nodiscard]] const std::vector<LiveJob*>& all() const { return jobs_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  std::vector<LiveJob*> jobs_;
  std::size_t bytes_ = 0;
};

}  // namespace penstock
