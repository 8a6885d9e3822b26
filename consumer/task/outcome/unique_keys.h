// The locks of unique keys with each thing that can happen to the job that holds one (docs/unique.md
// has the table). A lock decides whether a newcomer becomes a job (consumer/task/folding.h); which
// jobs may run at once is decided by gates (consumer/unique/unique_gates.h). Used by the
// partition's one thread.
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
  // The attempt is over and another one comes later.
  void paused(LiveJob* job);
  void ended(LiveJob* job);
  // An ended job is to run again: whether it has its lock again, or needs none. If not, its reason
  // says so.
  [[nodiscard]] bool retake(LiveJob* job);
  // Which jobs hold the lock of a key, and which keep others of it from starting: ids, each once.
  [[nodiscard]] std::vector<std::string> holders(const Digest& key, Time now);

 private:
  Core& core_;
};

}  // namespace penstock
