// Whatever jobs have waited for, all of them end once nothing stands in their way.
//
//   PENSTOCK_DRAINS_SEEDS=10000 PENSTOCK_DRAINS_FIRST=1 consumer_test --gtest_filter='Drains.*'
#include <cstdlib>

#include "tests/consumer/task/draining.h"

namespace penstock {
namespace {

constexpr std::uint32_t kUsualDrains = 300;

std::uint32_t given_or(const char* name, std::uint32_t usual) {
  const char* const given = std::getenv(name);
  return given ? static_cast<std::uint32_t>(std::strtoul(given, nullptr, 10)) : usual;
}

TEST(Drains, EveryJobEndsAndNoLimitIsExceeded) {
  const std::uint32_t first = given_or("PENSTOCK_DRAINS_FIRST", 1);
  const std::uint32_t seeds = given_or("PENSTOCK_DRAINS_SEEDS", kUsualDrains);
  for (std::uint32_t seed = first; seed < first + seeds; ++seed)
    EXPECT_EQ(Draining(seed).run(), "") << "PENSTOCK_DRAINS_FIRST=" << seed;
}

}  // namespace
}  // namespace penstock
