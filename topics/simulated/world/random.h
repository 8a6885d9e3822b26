// The simulator's random numbers: xoshiro256** seeded through splitmix64. Unlike the standard
// distributions, the same seed gives the same numbers on every machine and with every library.
// Belongs to the simulator's thread.
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
  // True with probability p. Uses up no random number if p <= 0.
  bool chance(double p);
  // Uniform in [low, high).
  Nanos between(Nanos low, Nanos high);

 private:
  std::array<std::uint64_t, 4> state_{};
};

}  // namespace penstock::simulated
