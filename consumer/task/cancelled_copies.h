// Ends the copies of cancelled replays that wait, wherever that is: in line, for their time, for a
// retry, for a type. It looks at all live jobs of the partition for them, a bounded number per step,
// and again until none is left, because some may just have come.
//
// Used by the partition's one thread.
#pragma once

#include <optional>
#include <string>

#include "consumer/task/core/core.h"
#include "consumer/task/outcome/endings.h"
#include "consumer/task/outcome/placement.h"
#include "consumer/task/query/job_walk.h"

namespace penstock {

class CancelledCopies {
 public:
  // How long after it has looked at all jobs it does so again.
  static constexpr Duration kLookAgain{1000};

  struct Parts {
    Endings& endings;
    Placement& placement;
    JobWalk& walk;
  };

  CancelledCopies(Core& core, const Parts& parts) : core_(core), parts_(parts) {}

  void step(Now now);
  // When it has something to do; absent: when something else happens.
  [[nodiscard]] std::optional<Time> next_time() const;

 private:
  struct Waiting {
    std::string account, id;
  };

  void end(const Waiting& copy);

  Core& core_;
  const Parts parts_;
  std::string after_;  // the walk goes on behind this row; empty: it begins
  Time next_look_{};
};

}  // namespace penstock
