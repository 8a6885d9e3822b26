// Forgetting what is no longer used, a bounded number a step and round and round: the cost of a
// step does not grow with how much is still used.
#pragma once

#include <algorithm>
#include <cstddef>

namespace penstock {

// Looks at up to `count` entries of an ordered map, from the key `from` on, and erases those of
// which `forget(entry)` is true. The next step goes on at `from`.
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
