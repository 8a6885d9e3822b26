#include "topics/values/trimmed.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

TEST(Trimmed, LosesTheBlanksAtBothEndsOnly) {
  EXPECT_EQ(trimmed(" \t\r\n a b\tc \r\n"), "a b\tc");
  EXPECT_EQ(trimmed("whole"), "whole");
  EXPECT_EQ(trimmed(" \r\n"), "");
  EXPECT_EQ(trimmed(""), "");
}

}  // namespace
}  // namespace penstock
