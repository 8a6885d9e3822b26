// The keys of `penstock top`, as terminals send them. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace penstock {

enum class TopKey : std::uint8_t {
  kQuit,
  kNext,
  kPrevious,
  kUp,
  kDown,
  kPageUp,
  kPageDown,
  kHome,
  kEnd,
  kPage1,
  kPage2,
  kPage3,
  kPage4,
};

// Takes the keys that `bytes` contains out of it; the beginning of a longer sequence stays. Other
// keys have no effect.
[[nodiscard]] std::vector<TopKey> take_keys(std::string& bytes);

}  // namespace penstock
