// Where a job that lives goes: into its account's line, among those that wait for their time, or
// among those of unknown type. Used by the partition's one thread.
#pragma once

#include <string_view>

#include "consumer/task/core/core.h"
#include "consumer/task/outcome/endings.h"

namespace penstock {

class Placement {
 public:
  // Due jobs are brought in only while less than this has gathered: it leaves room for others.
  static constexpr std::size_t kMaxDueBytes = kMaxGatheredBytes / 4;

  Placement(Core& core, Endings& endings) : core_(core), endings_(endings) {}

  // An admitted job, or one whose time has come or was changed, in no line: sends it where it
  // waits, or ends it where it must not start any more.
  void place(LiveJob* job);
  // The job runs again, from its own place in the line, or before all others of it if it keeps
  // something.
  void requeue(LiveJob* job);
  // It runs again after this wait, counted from the end of its attempt.
  void place_after(LiveJob* job, Duration wait, JobState state);
  // Its type is not known: it waits until it is.
  void park(LiveJob* job);

  // Jobs whose time has come, a bounded number.
  void place_due();

  // The job of an identity in memory, wherever it lay, and in no line any more; null where there is
  // none. Unless it runs, it must be put back or ended.
  [[nodiscard]] LiveJob* take(std::string_view account, std::string_view id);
  // The same for a job at hand: found in its line, or loaded from its row.
  void take_out(LiveJob* job);
  // Sends it where it waits, after its time or its attempt was changed.
  void put_back(LiveJob* job);

 private:
  Core& core_;
  Endings& endings_;
};

}  // namespace penstock
