// The gates that open by themselves, in the order of their times: those at which lines wait until a
// certain time, and those that have room for more lines than one step could wake. Used by the
// partition's one thread.
#pragma once

#include <absl/container/btree_set.h>

#include <cstdint>
#include <optional>

#include "consumer/schedule/gate.h"

namespace penstock {

class GateTimers {
 public:
  // The time at which the gate opens may have changed.
  void watch(Gate& gate, Time now);
  // A gate whose time has come, and which is no longer watched; null if there is none.
  [[nodiscard]] Gate* take_due(Time now);
  [[nodiscard]] std::optional<Time> next() const;

 private:
  // By the time at which gates open, then by which was set first.
  struct Less {
    bool operator()(const Gate* a, const Gate* b) const;
  };

  absl::btree_set<Gate*, Less> gates_;
  std::uint64_t numbers_ = 0;
};

}  // namespace penstock
