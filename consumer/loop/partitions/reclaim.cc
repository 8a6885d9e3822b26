#include "consumer/loop/partitions/reclaim.h"

#include <utility>

namespace penstock {

void Reclaim::given_up(std::string reason, Instant now) {
  reason_ = std::move(reason);
  // Before failed(), so that the end of a tenure that has worked costs the shortest pause only.
  if (now - claimed_at_ >= kSteadyAfter) pause_.reset();
  not_before_ = now + pause_.failed();
}

std::string Reclaim::trouble(bool runs, Instant now) const {
  if (reason_.empty()) return {};
  const bool loops = pause_.failures() >= kLoopAfter && now - claimed_at_ < kSteadyAfter;
  if (runs && !loops) return {};
  const int times = pause_.failures();
  return "given up" +
         (times > 1 ? " " + std::to_string(times) + " times in a row" : std::string()) +
         " and claimed again: " + reason_;
}

}  // namespace penstock
