// What a partition says to the owners of shared limits, and hears from them; and what changes when
// operators set limits or pauses. Only what is said and heard in commits that count moves slots:
// the outbox carries it. Used by the partition's one thread.
#pragma once

#include "consumer/task/core/core.h"
#include "consumer/task/core/partition_task.h"
#include "topics/log.h"

namespace penstock {

class SlotExchange {
 public:
  explicit SlotExchange(Core& core) : core_(core) {}

  // What operators have set, from now on, or null.
  void set_control(const Control* control);
  // Reports what has to be reported.
  void report(const SlotStanding& standing);
  // A message from the owner of a shared limit.
  void take_target(const LogRecord& record);

 private:
  void release_promises(Limit& limit);

  Core& core_;
};

}  // namespace penstock
