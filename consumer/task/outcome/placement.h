// Where a live job goes: into its account's line, among the jobs that wait for their time, or among
// those of unknown type. Used by the partition's one thread.
#pragma once

#include <string_view>

#include "consumer/task/core/core.h"
#include "consumer/task/outcome/endings.h"

namespace penstock {

class Placement {
 public:
  // Due jobs are loaded only while less than this has gathered, which leaves room for other work.
  static constexpr std::size_t kMaxDueBytes = kMaxGatheredBytes / 4;

  Placement(Core& core, Endings& endings) : core_(core), endings_(endings) {}

  // Sends a job that is in no line (just admitted, due now, or changed) to where it waits, or ends
  // it if it must not start any more.
  void place(LiveJob* job);
  // The job runs again, from its own position in the line, or before all others of the line if it
  // goes on holding something.
  void requeue(LiveJob* job);
  // The job runs again after this wait, which is counted from the end of its attempt.
  void place_after(LiveJob* job, Duration wait, JobState state);
  // The job's type is unknown: it waits until the type is known.
  void park(LiveJob* job);

  // Places a bounded number of jobs that have become due.
  void place_due();

  // The job of an identity, brought into memory from wherever it was, and in no line any more; null
  // if there is none. Unless it is running, it must be put back or ended.
  [[nodiscard]] LiveJob* take(std::string_view account, std::string_view id);
  // The same for a job that was found in its line or loaded from its row.
  void take_out(LiveJob* job);
  // Sends a job whose time or attempt has changed to where it waits.
  void put_back(LiveJob* job);

 private:
  Core& core_;
  Endings& endings_;
};

}  // namespace penstock
