#include "topics/values/printable.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

TEST(Printable, HasNoControlCharacterAndNoBrokenCharacter) {
  EXPECT_EQ(printable("a\nb\tc\x1b[2J\x7f\r"), "a\\nb\\tc\\x1b[2J\\x7f\\x0d");
  EXPECT_EQ(printable("\xc2\x9b"
                      "2J \xc3\xa9\xc2\xa0"),
            "\\x9b2J \xc3\xa9\xc2\xa0");
  EXPECT_EQ(printable("a\xff\xc2"), "a\\xff\\xc2");
  EXPECT_EQ(printable(""), "");
}

TEST(Printable, AQuotedTextEndsWhereItsQuoteDoes) {
  EXPECT_EQ(quoted_text("a\" of account \"b\\\n"), "\"a\\\" of account \\\"b\\\\\\n\"");
}

}  // namespace
}  // namespace penstock
