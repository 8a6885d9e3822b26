// The lines that are blocked until a time: that of their first job, where the queue is strict, or
// that at which their next batch starts. A line whose batch is running is blocked without a time
// (kUntilBatchEnds). Used by the partition's one thread.
#pragma once

#include <absl/container/btree_set.h>

#include <optional>
#include <utility>

#include "consumer/schedule/lines/line.h"

namespace penstock {

class BlockedLines {
 public:
  // Replaces whatever the line was blocked until before.
  void block(Line& line, Time until);
  void unblock(Line& line);
  // Unblocks a line whose time has come and returns it; null if there is none.
  [[nodiscard]] Line* take_due(Time now);
  [[nodiscard]] std::optional<Time> next() const;

 private:
  // By name where the time is the same, so that the order is the same in every process.
  struct Less {
    bool operator()(const std::pair<Time, Line*>& a, const std::pair<Time, Line*>& b) const;
  };

  absl::btree_set<std::pair<Time, Line*>, Less> lines_;
};

}  // namespace penstock
