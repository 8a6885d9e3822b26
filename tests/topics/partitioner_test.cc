#include "topics/partitioner.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace penstock {
namespace {

// The vectors of Kafka's own UtilsTest.testMurmur2.
TEST(Partitioner, HashesAsJavaDoes) {
  EXPECT_EQ(murmur2("21"), -973932308);
  EXPECT_EQ(murmur2("foobar"), -790332482);
  EXPECT_EQ(murmur2("a-little-bit-long-string"), -985981536);
  EXPECT_EQ(murmur2("a-little-bit-longer-string"), -1486304829);
  EXPECT_EQ(murmur2("lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8"), -58897971);
  EXPECT_EQ(murmur2("abc"), 479470107);
}

TEST(Partitioner, TakesTheHashAsAPositiveNumber) {
  for (const std::string key : {"21", "foobar", "abc", ""}) {
    const auto hash = static_cast<std::uint32_t>(murmur2(key)) & 0x7fffffff;
    EXPECT_EQ(partition_of(key, 12), static_cast<PartitionId>(hash % 12));
    EXPECT_EQ(partition_of(key, 1), 0);
  }
}

TEST(Partitioner, UsesEveryPartition) {
  std::vector<int> keys(12);
  for (int i = 0; i < 12'000; ++i) {
    ++keys[static_cast<std::size_t>(partition_of("account-" + std::to_string(i), 12))];
  }
  for (const int count : keys) EXPECT_GT(count, 700);
}

}  // namespace
}  // namespace penstock
