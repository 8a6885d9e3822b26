// The simulator's chance: xoshiro256** seeded through splitmix64. The same seed gives the same
// numbers on every machine and library, which the standard distributions do not. One thread.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>

namespace penstock::simulated {

using Nanos = std::chrono::nanoseconds;

class Random {
 public:
  explicit Random(std::uint64_t seed);

  std::uint64_t next();
  // Uniform in [0, n); n > 0.
  std::uint64_t below(std::uint64_t n);
  // True with probability p; draws nothing when p <= 0.
  bool chance(double p);
  // Uniform in [low, high).
  Nanos between(Nanos low, Nanos high);

 private:
  std::array<std::uint64_t, 4> state_{};
};

}  // namespace penstock::simulated
