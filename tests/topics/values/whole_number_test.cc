#include "topics/values/whole_number.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace penstock {
namespace {

TEST(WholeNumber, IsAllOfTheText) {
  EXPECT_EQ(whole_number<int>("0"), 0);
  EXPECT_EQ(whole_number<int>("-17"), -17);
  EXPECT_EQ(whole_number<std::int64_t>("9223372036854775807"),
            std::numeric_limits<std::int64_t>::max());
  for (const char* const text : {"", " 1", "1 ", "+1", "1.0", "1e3", "0x1", "1,", "one", "-"})
    EXPECT_EQ(whole_number<std::int64_t>(text), std::nullopt) << text;
}

TEST(WholeNumber, FitsItsType) {
  EXPECT_EQ(whole_number<std::int64_t>("9223372036854775808"), std::nullopt);
  EXPECT_EQ(whole_number<std::uint64_t>("18446744073709551615"),
            std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(whole_number<std::uint64_t>("-1"), std::nullopt);
  EXPECT_EQ(whole_number<std::uint16_t>("65536"), std::nullopt);
}

}  // namespace
}  // namespace penstock
