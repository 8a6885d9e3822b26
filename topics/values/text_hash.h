// Text hashing for absl's tables, with lookup by std::string_view. Needed because Debian's absl is
// built with a string_view of its own.
#pragma once

#include <xxhash.h>

#include <functional>
#include <string_view>

namespace penstock {

struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const {
    return XXH3_64bits(text.data(), text.size());
  }
};
using TextEqual = std::equal_to<>;

}  // namespace penstock
