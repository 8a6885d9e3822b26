// A hash of AttemptKey for the executors' tables. A pure function that gives the same result in
// every process.
#pragma once

#include <cstddef>
#include <cstdint>

#include "consumer/job/handler.h"

namespace penstock {

// The finalizer of SplitMix64 (Steele, Lea, Flood 2014): every input bit reaches every output bit.
[[nodiscard]] constexpr std::uint64_t mix_bits(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

[[nodiscard]] constexpr std::uint64_t hash_token(const Token& token) {
  const auto place =
      (std::uint64_t{token.place.queue} << 32) | static_cast<std::uint32_t>(token.place.partition);
  const std::uint64_t owner =
      mix_bits(mix_bits(token.generation) ^ static_cast<std::uint64_t>(token.epoch));
  return mix_bits(mix_bits(owner ^ place) ^ token.number);
}

struct AttemptKeyHash {
  [[nodiscard]] std::size_t operator()(const AttemptKey& key) const {
    return mix_bits(hash_token(key.token) ^ key.queue);
  }
};

}  // namespace penstock
