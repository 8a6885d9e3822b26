// Which of a loop's tenures comes next: for a step of its restore, for a step of its task, for the
// free places, and for a commit. Each round begins after the tenure that came last in the previous
// one, so that all have the same chance.
//
// Belongs to the loop's thread.
#pragma once

#include "consumer/control/control_reader.h"
#include "consumer/loop/partitions/partitions.h"

namespace penstock {

class TenureRounds {
 public:
  TenureRounds(const LoopOptions& options, LoopHost& host, const ControlReader& control,
               Partitions& partitions, const StepBudget& budget)
      : options_(options),
        host_(host),
        control_(control),
        partitions_(partitions),
        budget_(budget) {}

  // One step per pass, regardless of how many partitions have just been taken over, so that the
  // others continue to work.
  void restore_one(Now now);
  void step_all(Now now);
  // Starts attempts and does nothing else.
  void start_ready(Now now);
  // Building a commit takes as long as processing many outcomes, so outcomes are processed between
  // the commits of two partitions. Begins after the partition that committed last.
  void commit_one(bool busy, Now now);
  // Another commit is due, in the next pass.
  [[nodiscard]] bool commit_waits() const { return commit_waits_; }

 private:
  template <typename Step>
  void share_capacity(Step step, Now now);
  [[nodiscard]] bool wants_places(Now now) const;

  const LoopOptions& options_;
  LoopHost& host_;
  const ControlReader& control_;
  Partitions& partitions_;
  const StepBudget& budget_;  // of this pass
  PartitionId first_to_restore_ = 0;
  PartitionId first_to_step_ = 0;
  PartitionId first_to_commit_ = 0;
  bool commit_waits_ = false;
};

}  // namespace penstock
