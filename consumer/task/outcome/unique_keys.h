// What happens to the lock of a unique key with each event in the life of the job that holds it
// (docs/unique.md has the table). A lock decides whether a new job becomes a job
// (consumer/task/folding.h); gates decide which jobs may run at once
// (consumer/unique/unique_gates.h). Used by the partition's one thread.
#pragma once

#include <string>
#include <vector>

#include "consumer/task/core/core.h"

namespace penstock {

class UniqueKeys {
 public:
  explicit UniqueKeys(Core& core) : core_(core) {}

  void take(LiveJob* job);
  // An attempt of the job starts.
  void started(LiveJob* job);
  // The attempt has ended, and another one comes later.
  void paused(LiveJob* job);
  void ended(LiveJob* job);
  // An ended job is to run again: returns whether it has its lock again, or needs none. If not, its
  // reason says so.
  [[nodiscard]] bool retake(LiveJob* job);
  // The ids of the jobs that hold the lock of a key, or keep others of it from starting, each once.
  [[nodiscard]] std::vector<std::string> holders(const Digest& key, Time now);

 private:
  Core& core_;
};

}  // namespace penstock
