#include "topics/partitioner.h"

#include <bit>
#include <cstring>

#include "topics/values/check.h"

namespace penstock {
namespace {

constexpr std::uint32_t kSeed = 0x9747b28c;
constexpr std::uint32_t kMultiplier = 0x5bd1e995;
constexpr int kShift = 24;
constexpr std::uint32_t kPositive = 0x7fffffff;

// murmur2() reads four bytes in the machine's order, and Java's reads them as little-endian.
static_assert(std::endian::native == std::endian::little);

std::uint32_t byte_at(std::string_view text, std::size_t at) {
  return static_cast<unsigned char>(text[at]);
}

}  // namespace

std::int32_t murmur2(std::string_view key) {
  std::uint32_t hash = kSeed ^ static_cast<std::uint32_t>(key.size());
  while (key.size() >= 4) {
    std::uint32_t four;
    // Copied, because the key need not be aligned.
    std::memcpy(&four, key.data(), sizeof four);
    four *= kMultiplier;
    four ^= four >> kShift;
    hash = hash * kMultiplier ^ four * kMultiplier;
    key.remove_prefix(4);
  }
  if (key.size() > 2) hash ^= byte_at(key, 2) << 16;
  if (key.size() > 1) hash ^= byte_at(key, 1) << 8;
  if (!key.empty()) hash = (hash ^ byte_at(key, 0)) * kMultiplier;
  hash ^= hash >> 13;
  hash *= kMultiplier;
  hash ^= hash >> 15;
  return static_cast<std::int32_t>(hash);
}

PartitionId partition_of(std::string_view key, int partitions) {
  PENSTOCK_CHECK(partitions > 0, "a topic without partitions");
  const std::uint32_t positive = static_cast<std::uint32_t>(murmur2(key)) & kPositive;
  return static_cast<PartitionId>(positive % static_cast<std::uint32_t>(partitions));
}

}  // namespace penstock
