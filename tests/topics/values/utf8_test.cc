#include "topics/values/utf8.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

namespace penstock {
namespace {

TEST(Utf8, IsGoodForEveryCodePointButSurrogates) {
  std::array<char, 8> padded;
  for (char32_t code_point = 0; code_point < 0x110000; ++code_point) {
    char* end = put_utf8(padded.data(), code_point);
    const std::string_view text(padded.data(), static_cast<std::size_t>(end - padded.data()));
    const bool surrogate = code_point >= 0xD800 && code_point <= 0xDFFF;
    ASSERT_EQ(is_utf8(text), !surrogate) << static_cast<std::uint32_t>(code_point);
  }
}

TEST(Utf8, TellsWhereItIsBad) {
  EXPECT_EQ(first_bad_utf8("0123456789\xff"), 10U);
  EXPECT_EQ(first_bad_utf8("\xC3\xA9\xC3"), 2U);
  EXPECT_EQ(first_bad_utf8("\xC0\x80"), 0U);
  EXPECT_EQ(first_bad_utf8("\xE0\x9F\xBF"), 0U);
  EXPECT_EQ(first_bad_utf8("\xF0\x8F\xBF\xBF"), 0U);
  EXPECT_EQ(first_bad_utf8("\xF4\x90\x80\x80"), 0U);
  EXPECT_EQ(first_bad_utf8(""), 0U);
}

TEST(Excerpt, IsOneLineOfGoodUtf8) {
  EXPECT_EQ(excerpt("a\nb\x01\x7F"), "a b  ");
  EXPECT_EQ(excerpt("a\xff"), "a?");
  EXPECT_EQ(excerpt("\xC3\xA9\xC3\xA9", 3), "\xC3\xA9...");
  EXPECT_EQ(excerpt("abc", 3), "abc");
}

}  // namespace
}  // namespace penstock
