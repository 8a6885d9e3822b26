#include "consumer/handlers/exec/line_reader.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <vector>

#include "consumer/handlers/io/fd.h"

namespace penstock {
namespace {

class Lines : public testing::Test {
 protected:
  Lines() {
    int ends[2];
    EXPECT_EQ(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
    read_ = Fd(ends[0]);
    write_ = Fd(ends[1]);
  }
  void say(std::string_view text) {
    EXPECT_EQ(::write(write_.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  std::vector<std::string> take() {
    std::vector<std::string> lines;
    last_ = reader_.fill(read_.get());
    while (const auto line = reader_.next()) lines.emplace_back(*line);
    return lines;
  }

  Fd read_, write_;
  LineReader reader_{10};
  LineReader::Fill last_ = LineReader::Fill::kMore;
};

using Texts = std::vector<std::string>;

TEST_F(Lines, ComeWholeHoweverTheyWereWritten) {
  say("a\nb");
  EXPECT_EQ(take(), Texts{"a"});
  say("c");
  EXPECT_EQ(take(), Texts{});
  say("d\r\n\ne\n");
  EXPECT_EQ(take(), (Texts{"bcd", "", "e"}));
}

TEST_F(Lines, TellWhenThereIsNoMore) {
  EXPECT_EQ(take(), Texts{});
  EXPECT_EQ(last_, LineReader::Fill::kDrained);
  say("rest");
  write_.close();
  EXPECT_EQ(take(), Texts{});
  EXPECT_EQ(take(), Texts{});
  EXPECT_EQ(last_, LineReader::Fill::kEnded);
  EXPECT_EQ(reader_.take_rest(), "rest");
}

TEST_F(Lines, AreTooLongPastTheMaximum) {
  say("0123456789");
  take();
  EXPECT_FALSE(reader_.is_too_long());
  say("x");
  take();
  EXPECT_TRUE(reader_.is_too_long());
  EXPECT_EQ(reader_.take_rest(), "0123456789x");
  EXPECT_FALSE(reader_.is_too_long());
}

}  // namespace
}  // namespace penstock
