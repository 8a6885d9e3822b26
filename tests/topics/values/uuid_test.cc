#include "topics/values/uuid.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

// The example of RFC 9562 appendix A.6.
TEST(UuidV7, IsAsInTheRfc) {
  EXPECT_EQ(uuid_v7(time_from_ms(1645557742000), {0xCC3, 0x18C4DC0C0C07398F}),
            "017f22e2-79b0-7cc3-98c4-dc0c0c07398f");
}

TEST(UuidV7, KeepsVersionAndVariantWhateverTheChance) {
  for (const std::uint64_t bits : {std::uint64_t{0}, ~std::uint64_t{0}}) {
    const auto id = uuid_v7(time_from_ms(1), {bits, bits});
    EXPECT_EQ(id.size(), kUuidBytes);
    EXPECT_EQ(id[14], '7');
    EXPECT_NE(std::string("89ab").find(id[19]), std::string::npos);
  }
}

TEST(UuidV7, SortsByTime) {
  EXPECT_LT(uuid_v7(time_from_ms(0xFFFF), {~0ULL, ~0ULL}), uuid_v7(time_from_ms(0x10000), {0, 0}));
}

}  // namespace
}  // namespace penstock
