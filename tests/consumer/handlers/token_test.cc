#include <gtest/gtest.h>

#include "consumer/job/handler.h"

namespace penstock {
namespace {

TEST(Token, IsWrittenInAFixedWidth) {
  EXPECT_EQ((Token{1, 0x2a, 255, {0x9abc, 9'999}}).text(),
            "00000001-000000000000002a-00000000000000ff-00009abc-270f");
  EXPECT_EQ(Token{}.text(), "00000000-0000000000000000-0000000000000000-00000000-0000");
}

TEST(Token, ComparesAsTextAsItDoesAsAValue) {
  const Token tokens[] = {{0, 0, 0},         {0, 0, 9},          {0, 0, 10},
                          {0, 9, 1},         {0, 1'000, 0},      {0, 1'001, 15},
                          {0, 1'001, 16},    {1, 0, 0},          {15, 1, 1},
                          {16, 0, 0},        {16, 0, ~0ULL},     {~0U, 1LL << 62, 5},
                          {0, 0, 9, {7, 3}}, {0, 0, 9, {7, 12}}, {0, 0, 9, {~0U, 0}}};
  for (const Token& a : tokens) {
    for (const Token& b : tokens)
      EXPECT_EQ(a < b, a.text() < b.text()) << a.text() << " " << b.text();
  }
}

// An account stays in its partition, so what it is compared with has the same place.
TEST(Token, PartitionsAndQueuesHaveDifferentOnes) {
  const auto token = [](std::string_view topic, PartitionId partition) {
    return Token{1, 0, 1, TokenPlace::of(topic, partition)}.text();
  };
  EXPECT_NE(token("penstock.mail", 0), token("penstock.mail", 1));
  EXPECT_NE(token("penstock.mail", 0), token("penstock.sms", 0));
  EXPECT_EQ(token("penstock.mail", 3), token("penstock.mail", 3));
}

}  // namespace
}  // namespace penstock
