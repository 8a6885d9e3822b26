#include "consumer/handlers/exec/respawn_pause.h"

#include <algorithm>

namespace penstock {

void RespawnPause::ended(bool excused, Clock::time_point now) {
  if (!excused && now - started_ < kEarly) return back_off(now);
  until_ = now;
}

void RespawnPause::back_off(Clock::time_point now) {
  // Bounded, so that the shift does not overflow.
  const auto factor = 1 << std::min(early_deaths_++, 10);
  until_ = now + std::min(kFirst * factor, kLast);
}

}  // namespace penstock
