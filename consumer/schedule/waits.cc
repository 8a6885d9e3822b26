#include "consumer/schedule/waits.h"

#include <array>

namespace penstock {

std::string_view to_string(Waits waits) {
  constexpr std::array<std::string_view, static_cast<std::size_t>(kLastWaits) + 1> kWords{
      "",       "scheduled", "retrying", "ready",  "account",      "limit",
      "unique", "paused",    "breaker",  "replay", "unknown_type", "worker"};
  return kWords[static_cast<std::size_t>(waits)];
}

}  // namespace penstock
