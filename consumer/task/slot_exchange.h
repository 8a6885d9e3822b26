// What a partition tells the owners of shared limits and hears from them, and what changes when
// operators set limits or pauses. Slots move only by messages in commits that count, which the
// outbox carries. Used by the partition's one thread.
#pragma once

#include "consumer/task/core/core.h"
#include "consumer/task/core/partition_task.h"
#include "topics/log.h"

namespace penstock {

class SlotExchange {
 public:
  explicit SlotExchange(Core& core) : core_(core) {}

  // What operators have set is in force from now on; null: nothing is set.
  void set_control(const Control* control);
  // Sends the reports that are due.
  void report(const SlotStanding& standing);
  // A message from the owner of a shared limit.
  void take_target(const LogRecord& record);

 private:
  void release_promises(Limit& limit);

  Core& core_;
};

}  // namespace penstock
