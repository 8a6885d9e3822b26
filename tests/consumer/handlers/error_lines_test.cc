#include "consumer/handlers/exec/error_lines.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <vector>

#include "consumer/handlers/io/fd.h"

namespace penstock {
namespace {

struct ErrorLinesTest : testing::Test {
  std::vector<std::string> logged;
  LineSink sink = [this](std::string_view line) { logged.emplace_back(line); };
  ErrorLines lines{sink};
  Fd in, out;

  void SetUp() override {
    int ends[2];
    ASSERT_EQ(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
    out = Fd(ends[0]);
    in = Fd(ends[1]);
  }
  void write(std::string_view text) const {
    ASSERT_EQ(::write(in.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
};

using Texts = std::vector<std::string>;

TEST_F(ErrorLinesTest, AreLoggedOneByOneAndTheLastIsKept) {
  write("one\n\ntwo\nrest");
  EXPECT_TRUE(lines.read(out.get(), 4));
  EXPECT_EQ(logged, (Texts{"one", "two"}));
  EXPECT_EQ(lines.last(), "two");
  lines.end();
  EXPECT_EQ(logged.back(), "rest");
  lines.begin();
  EXPECT_EQ(lines.last(), "");
}

TEST_F(ErrorLinesTest, EndWithTheirPipe) {
  write("one\n");
  in.close();
  EXPECT_FALSE(lines.read(out.get(), 4));
  EXPECT_EQ(logged, Texts{"one"});
}

TEST_F(ErrorLinesTest, AreLoggedInPartsWhenTheyAreTooLong) {
  write(std::string(ErrorLines::kMaxLineBytes + 1, 'x'));
  EXPECT_TRUE(lines.read(out.get(), 4));
  EXPECT_EQ(logged.size(), 1u);
}

}  // namespace
}  // namespace penstock
