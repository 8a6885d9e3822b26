#include "topics/values/huge_pages.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <vector>

namespace penstock {
namespace {

using Table = std::vector<std::uint64_t, HugePages<std::uint64_t>>;
constexpr std::size_t kLarge = kHugePage / sizeof(std::uint64_t);

TEST(HugePages, ATableOfOnePageOrMoreBeginsAtAPage) {
  for (const std::size_t count : {kLarge, kLarge + 1, 3 * kLarge}) {
    const Table table(count);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(table.data()) % kHugePage, 0U) << count;
  }
}

TEST(HugePages, ATableKeepsItsContentsAsItGrowsAndShrinksAcrossThePage) {
  Table table(kLarge - 1);
  std::iota(table.begin(), table.end(), std::uint64_t{1});
  table.resize(kLarge + 1, 7);
  EXPECT_EQ(table[kLarge - 2], kLarge - 1);
  EXPECT_EQ(table[kLarge], 7U);
  table.resize(10);
  table.shrink_to_fit();
  EXPECT_EQ(table, (Table{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
}

}  // namespace
}  // namespace penstock
