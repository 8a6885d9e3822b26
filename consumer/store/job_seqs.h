// Gives a partition's jobs their sequence numbers (state/rows/job_seq.h). The counter is a row that
// a commit writes together with the rows of the jobs that it has numbered: a number that no commit
// contains was not given.
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
  // A number greater than all that were given so far.
  [[nodiscard]] JobSeq take();
  // Writes the counter for the commit that is being built, if a number was given since the last
  // one.
  void save();

 private:
  View& view_;
  JobSeq last_, saved_;
};

}  // namespace penstock
