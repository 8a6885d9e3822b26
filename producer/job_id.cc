#include "producer/job_id.h"

#include <array>
#include <random>

#include "topics/values/uuid.h"

namespace penstock {
namespace {

std::mt19937_64 seeded() {
  std::random_device device;
  std::array<std::uint32_t, 8> chance{};
  // 256 bits of chance: ids that two processes make must not meet.
  for (auto& word : chance) word = device();
  std::seed_seq seed(chance.begin(), chance.end());
  return std::mt19937_64(seed);
}

}  // namespace

std::string new_job_id() {
  thread_local std::mt19937_64 chance = seeded();
  const auto now = std::chrono::floor<Duration>(std::chrono::system_clock::now());
  const std::uint64_t high = chance();
  return uuid_v7(now, {.high = high, .low = chance()});
}

}  // namespace penstock
