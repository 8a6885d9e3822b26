// Holds what a worker says of the job that could have started for longest against its jobs, of
// which every one is looked at. One thread.
//
// Nothing that waits can have been able to start before it was admitted. And where no condition may
// keep it, a job that has been seen again and again with nothing before it but its turn has been
// able to start since the first of those times at least, but for a moment.
#pragma once

#include <map>
#include <string>
#include <tuple>

#include "consumer/loop/loop.h"
#include "tests/simulation/rules.h"
#include "tests/simulation/settings.h"

namespace penstock::simulation {

class ReadyChecks {
 public:
  ReadyChecks(const Settings& settings, const TypeTable& types, Rules& rules)
      : settings_(settings), types_(types), rules_(rules) {}

  // After each pass of the process's loop; looks at some of them.
  void passed(Loop& loop, Now now);
  // The process has ended.
  void forget() { seen_.clear(); }

 private:
  void look(PartitionId partition, Tenure& tenure, const Control& control, Now now);

  const Settings& settings_;
  const TypeTable& types_;
  Rules& rules_;
  std::uint64_t passes_ = 0;
  // When a job was first seen to wait for nothing but its turn, of those that do still: by its
  // partition, epoch, account, id and last start or run_at.
  using Job = std::tuple<PartitionId, std::int64_t, std::string, std::string, Time>;
  std::map<Job, Time> seen_;
};

}  // namespace penstock::simulation
