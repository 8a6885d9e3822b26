// What reaches a job by its identity or its time instead of its turn: commands, crash notices, and
// its expiry. Used by the partition's one thread.
#pragma once

#include "consumer/task/core/core.h"
#include "consumer/task/folding.h"
#include "consumer/task/outcome/batch_cursor.h"
#include "consumer/task/outcome/endings.h"
#include "consumer/task/outcome/placement.h"
#include "consumer/task/outcome/unique_keys.h"
#include "topics/log.h"
#include "topics/record/job_record.h"

namespace penstock {

class Commands {
 public:
  struct Parts {
    BatchCursor& cursor;
    UniqueKeys& unique;
    Endings& endings;
    Placement& placement;
    Folding& folding;
  };

  Commands(Core& core, const Parts& parts) : core_(core), parts_(parts) {}

  void apply(const JobRecord& command);
  void crash_notice(const LogRecord& record);
  // Ends a bounded number of jobs that have not started by their expires_at.
  void expire_due();

 private:
  void ask_to_end(LiveJob* job, Asked asked);
  void cancel(LiveJob* job);
  void delete_job(LiveJob* job);
  void run_again(LiveJob* job);
  void reschedule(LiveJob* job, Time run_at);
  void without_job() { ++core_.counters.commands_without_job; }
  [[nodiscard]] LiveJob* take_expiring(const JobStore::Expiry& expiry);

  Core& core_;
  const Parts parts_;
};

}  // namespace penstock
