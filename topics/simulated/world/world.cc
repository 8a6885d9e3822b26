#include "topics/simulated/world/world.h"

namespace penstock::simulated {

Time World::wall() const {
  return options_.first_time + std::chrono::duration_cast<Duration>(now().time_since_epoch());
}

const FaultRates& World::rates() const {
  static const FaultRates kNone;
  return faulty() ? faults_.rates() : kNone;
}

void World::note(std::uint64_t what) {
  const auto time = static_cast<std::uint64_t>(now().time_since_epoch().count());
  for (const std::uint64_t word : {what, time}) {
    history_ = (history_ ^ word) * 0x9e3779b97f4a7c15ULL;
    history_ ^= history_ >> 29;
  }
}

}  // namespace penstock::simulated
