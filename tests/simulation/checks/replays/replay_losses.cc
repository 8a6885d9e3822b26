#include "tests/simulation/checks/replays/replay_losses.h"

#include <algorithm>

namespace penstock::simulation {

std::optional<Offset> lost_until(const ReplayLoss& loss, const std::set<Offset>& cuts,
                                 const std::function<bool(std::int64_t)>& has_copy) {
  std::optional<Offset> until;
  std::int64_t fewest = 0;
  for (const Offset cut : cuts) {
    const Offset end = std::min(cut, loss.to);
    const std::int64_t first = end.value - loss.lost;
    if (first < loss.before.value || end > loss.next) continue;
    std::int64_t copies = 0;
    for (std::int64_t at = first; at < end.value; ++at) copies += has_copy(at) ? 1 : 0;
    if (until && copies > fewest) continue;
    until = end;
    fewest = copies;
  }
  return until;
}

}  // namespace penstock::simulation
