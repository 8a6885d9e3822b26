// Gives a partition's jobs their places (state/rows/job_seq.h). The counter is a row that a commit
// writes with the rows of the jobs that it has numbered: what no commit carries was not given.
//
// Used by the partition's one thread.
#pragma once

#include "state/rows/job_seq.h"
#include "state/store/view.h"

namespace penstock {

class JobSeqs {
 public:
  explicit JobSeqs(View& view) : view_(view) {}

  // The rows are those of the log.
  void restored();
  // The place behind every one that was given so far.
  [[nodiscard]] JobSeq take();
  // Into the commit that is being built, if one was given since the last.
  void save();

 private:
  View& view_;
  JobSeq last_, saved_;
};

}  // namespace penstock
