#include "cli/work/work_log.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace penstock {
namespace {

TEST(WorkLogLines, AreOneLineEachWithoutControlCharacters) {
  for (const bool json : {false, true}) {
    testing::internal::CaptureStderr();
    WorkLog log(json);
    log.write("info", "job \"a\nforged\x1b[2J\xff\" ended");
    const std::string text = testing::internal::GetCapturedStderr();
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << text;
    EXPECT_EQ(text.find('\x1b'), text.npos) << text;
    EXPECT_NE(text.find("forged"), text.npos) << text;
  }
}

}  // namespace
}  // namespace penstock
