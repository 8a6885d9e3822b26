// Which records of its range a replay means when it counts some as lost: retention has removed them
// before it came to them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>

#include "topics/values/types.h"

namespace penstock::simulation {

// What a commit tells of one partition of a replay.
struct ReplayLoss {
  std::int64_t lost = 0;  // so many records in a row
  Offset before, next;    // where the replay stood before the commit, and stands now
  Offset to;              // the end of its range
};

// The end of the lost records; nothing if they were not removed. `cuts`: up to where somebody has
// removed records; a commit may come past several, and then the one with the fewest copies counts.
// `has_copy`: the record at this offset has one, so most likely it was not lost (but an earlier
// replay of the name may have made it).
[[nodiscard]] std::optional<Offset> lost_until(const ReplayLoss& loss, const std::set<Offset>& cuts,
                                               const std::function<bool(std::int64_t)>& has_copy);

}  // namespace penstock::simulation
