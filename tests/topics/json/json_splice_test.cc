#include "topics/json/json_splice.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

TEST(JsonSplice, KeepsTheTextOfEveryOtherMember) {
  JsonDocument document;
  ASSERT_FALSE(document.parse(
      R"({ "big" : 12345678901234567890123, "id":"a", "price":1.10, "\u0061":[1.0, {"b" : 2}] })"));
  EXPECT_EQ(with_member(document, "id", "\"b\""),
            R"({"id":"b","big":12345678901234567890123,"price":1.10,"\u0061":[1.0, {"b" : 2}]})");
}

TEST(JsonSplice, LeavesAMemberOutWhereverItIs) {
  JsonDocument document;
  for (const char* text : {R"({"a":1,"b":2,"c":3})", R"({"b":2,"a":1,"c":3})",
                           R"({"a":1,"c":3,"\u0062":{"b":2}})", R"({"a":1,"c":3})"}) {
    ASSERT_FALSE(document.parse(text));
    EXPECT_EQ(without_member(document, "b"), R"({"a":1,"c":3})");
  }
}

TEST(JsonSplice, AnEmptyObjectGetsItsMemberAndLosesNone) {
  JsonDocument document;
  ASSERT_FALSE(document.parse(" { } "));
  EXPECT_EQ(with_member(document, "a\"b", "1"), R"({"a\"b":1})");
  EXPECT_EQ(without_member(document, "a"), "{}");
}

}  // namespace
}  // namespace penstock
