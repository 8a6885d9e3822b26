// The rate at which one partition makes the copies of a replay: its part of the replay's rate, by
// the records that it has to read, so that all partitions take equally long.
//
// Used by the partition's one thread.
#pragma once

#include <algorithm>
#include <optional>

#include "consumer/policy/rate.h"
#include "consumer/replay/replay_record.h"
#include "topics/values/types.h"

namespace penstock {

class ReplayPace {
 public:
  void set(const ReplayRecord& record, PartitionId partition);

  // When the next copy is permitted; `now`, without a rate.
  [[nodiscard]] Time next_copy(Time now) const {
    return rate_ ? std::max(first_, rate_->earliest(state_, now)) : now;
  }
  // A copy is made.
  void charge(Time now) {
    if (rate_) rate_->take(state_, now);
  }

 private:
  std::optional<Gcra> rate_;
  RateState state_;
  Time first_{};  // no copy is made before
};

}  // namespace penstock
