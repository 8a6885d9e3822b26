// How long the job has waited that could have started for longest, but for a free place or its
// account's turn: what a number of workers is to be chosen by.
//
// Looks at the first job of each line that is not known to wait for anything else, oldest first,
// until it finds one that indeed needs nothing but its turn. Jobs that are due but not yet in
// their lines count, and so do those whose account is not in memory. A look is bounded; if it finds
// nothing within the bound, it goes on in the next steps (look_on), and until it has ended the
// answer is that of the last one that has. Used by the partition's one thread.
#pragma once

#include <optional>

#include "consumer/task/core/core.h"

namespace penstock {

class OldestReady {
 public:
  // Lines per call, and those among them whose first job must be read from its row.
  static constexpr int kMaxLooks = 512, kMaxReads = 64;

  explicit OldestReady(Core& core) : core_(core) {}

  // Since when it could start; nothing if no job could.
  [[nodiscard]] std::optional<Time> since();
  // To be called in each step while is_looking().
  void look_on();
  [[nodiscard]] bool is_looking() const { return looking_; }

 private:
  void look();
  [[nodiscard]] bool could_start(LiveJob* job) const;

  Core& core_;
  bool looking_ = false;       // the last look has reached its bound
  std::optional<Time> found_;  // by the last look that has ended
};

}  // namespace penstock
