// How a job ends, and what is left of it: its identity for the dedup window, its row for `keep`,
// its count in its bulk, an event and, if it is dead, its record in the dead topic. Used by the
// partition's one thread.
#pragma once

#include <string_view>

#include "consumer/task/core/core.h"
#include "consumer/task/outcome/batch_cursor.h"
#include "consumer/task/outcome/unique_keys.h"

namespace penstock {

class Endings {
 public:
  Endings(Core& core, BatchCursor& cursor, UniqueKeys& unique)
      : core_(core), cursor_(cursor), unique_(unique) {}

  // All of these take the job out of memory; it must be in no line and must not be running.
  void end(LiveJob* job, JobState state, std::string_view reason);
  // The job goes dead, and its record goes to the dead topic.
  void bury(LiveJob* job, DeadReason reason, std::string_view detail);
  void expire(LiveJob* job) { end(job, JobState::kExpired, "not started by its expires_at"); }
  // A command came while an attempt ran, and the attempt has not succeeded.
  void end_as_asked(LiveJob* job);
  void bury_crashed(LiveJob* job);
  void bury_unknown_type(LiveJob* job);

 private:
  void remember(LiveJob* job);
  void end_chunk(const JobRow& chunk);

  Core& core_;
  BatchCursor& cursor_;
  UniqueKeys& unique_;
};

}  // namespace penstock
