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

  // A rate of a copy per tick or more permits its copies at ticks, which all partitions share: each
  // pass of a loop costs, and so does each commit.
  static constexpr Duration kTick{10};

  // When the next copy is permitted; `now`, without a rate.
  [[nodiscard]] Time next_copy(Time now) const;
  // A copy is made.
  void charge(Time now) {
    if (rate_) rate_->take(state_, tick_of(now));
  }

 private:
  [[nodiscard]] Time tick_of(Time now) const { return now - now.time_since_epoch() % tick_; }

  std::optional<Gcra> rate_;
  Duration tick_{1};
  RateState state_;
  Time first_{};  // no copy is made before
};

}  // namespace penstock
