#include "consumer/handlers/protocol/reason.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

TEST(Reason, IsOneLine) { EXPECT_EQ(one_line("a\nb\tc\x7f"), "a b c "); }

TEST(Reason, IsValidUtf8) {
  EXPECT_EQ(one_line("caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"),
            "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80");
  EXPECT_EQ(one_line("\xff\xc3"), "??");
  EXPECT_EQ(one_line("\xed\xa0\x80"), "???") << "a surrogate is no character";
  EXPECT_EQ(one_line("\xc0\x80"), "??") << "an overlong form is no character";
  EXPECT_EQ(one_line("\xf4\x90\x80\x80"), "????") << "past U+10FFFF";
}

TEST(Reason, IsCutBetweenCharacters) {
  EXPECT_EQ(one_line("ab\xc3\xa9", 3), "ab");
  EXPECT_EQ(one_line(std::string(5'000, 'x')).size(), kMaxReasonBytes);
}

TEST(Reason, QuotesTheStartOfRubbish) {
  EXPECT_EQ(quoted_start("oops"), "\"oops\"");
  EXPECT_EQ(quoted_start(std::string(500, 'x')), '"' + std::string(kMaxQuotedBytes, 'x') + "...\"");
}

}  // namespace
}  // namespace penstock
