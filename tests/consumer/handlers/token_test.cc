#include <gtest/gtest.h>

#include "consumer/handler.h"

namespace penstock {
namespace {

TEST(Token, IsWrittenInAFixedWidth) {
  EXPECT_EQ((Token{1, 0x2a, 255}).text(), "00000001-000000000000002a-00000000000000ff");
  EXPECT_EQ(Token{}.text(), "00000000-0000000000000000-0000000000000000");
}

TEST(Token, ComparesAsTextAsItDoesAsAValue) {
  const Token tokens[] = {{0, 0, 0},     {0, 0, 9},      {0, 0, 10},     {0, 9, 1},
                          {0, 1'000, 0}, {0, 1'001, 15}, {0, 1'001, 16}, {1, 0, 0},
                          {15, 1, 1},    {16, 0, 0},     {16, 0, ~0ULL}, {~0U, 1LL << 62, 5}};
  for (const Token& a : tokens) {
    for (const Token& b : tokens)
      EXPECT_EQ(a < b, a.text() < b.text()) << a.text() << " " << b.text();
  }
}

}  // namespace
}  // namespace penstock
