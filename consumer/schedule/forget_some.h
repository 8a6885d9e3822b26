// Forgets what is no longer used, a bounded number of entries per step and round after round, so
// the cost of a step does not grow with the number of entries that are still used.
#pragma once

#include <algorithm>
#include <cstddef>

namespace penstock {

// Looks at up to `count` entries of an ordered map, from the key `from` on, and erases those for
// which `forget(entry)` is true. The next step continues at `from`.
template <typename Map, typename Forget>
void forget_some(Map& map, typename Map::key_type& from, std::size_t count, Forget forget) {
  auto at = map.lower_bound(from);
  for (std::size_t left = std::min(map.size(), count); left > 0; --left) {
    if (at == map.end()) at = map.begin();
    if (forget(*at)) {
      at = map.erase(at);
    } else {
      ++at;
    }
  }
  from = at == map.end() ? typename Map::key_type() : at->first;
}

}  // namespace penstock
