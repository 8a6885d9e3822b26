#include "topics/simulated/world/random.h"

namespace penstock::simulated {
namespace {

std::uint64_t splitmix(std::uint64_t& x) {
  std::uint64_t z = (x += 0x9e3779b97f4a7c15ULL);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

constexpr std::uint64_t rotate(std::uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }

}  // namespace

Random::Random(std::uint64_t seed) {
  for (auto& word : state_) word = splitmix(seed);
}

std::uint64_t Random::next() {
  auto& s = state_;
  const std::uint64_t result = rotate(s[1] * 5, 7) * 9;
  const std::uint64_t t = s[1] << 17;
  s[2] ^= s[0];
  s[3] ^= s[1];
  s[1] ^= s[2];
  s[0] ^= s[3];
  s[2] ^= t;
  s[3] = rotate(s[3], 45);
  return result;
}

std::uint64_t Random::below(std::uint64_t n) {
  return static_cast<std::uint64_t>((static_cast<unsigned __int128>(next()) * n) >> 64);
}

bool Random::chance(double p) {
  if (p <= 0) return false;
  return static_cast<double>(next() >> 11) * 0x1.0p-53 < p;
}

Nanos Random::between(Nanos low, Nanos high) {
  if (high <= low) return low;
  return low +
         Nanos(static_cast<std::int64_t>(below(static_cast<std::uint64_t>((high - low).count()))));
}

}  // namespace penstock::simulated
