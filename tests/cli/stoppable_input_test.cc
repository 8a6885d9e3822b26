#include "cli/enqueue/stoppable_input.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "cli/enqueue/line_source.h"
#include "tests/cli/temporary_file.h"
#include "tests/conformance/temporary_directory.h"

namespace penstock {
namespace {

constexpr std::size_t kLongest = 1u << 20;

std::vector<std::string> lines_of(StoppableInput& input) {
  LineSource source(input.stream(), kLongest);
  std::vector<std::string> lines;
  while (const auto line = source.next()) lines.emplace_back(line->text);
  return lines;
}

TEST(StoppableInput, GivesEveryLineOfAFile) {
  const std::string long_line(300'000, 'x');
  const TemporaryFile file("a\n\n" + long_line + "\nlast without an end");
  const auto input = StoppableInput::open(file.path());
  ASSERT_TRUE(input);
  const std::vector<std::string> expected{"a", "", long_line, "last without an end"};
  EXPECT_EQ(lines_of(**input), expected);
}

TEST(StoppableInput, HandsLinesOnAsTheyComeAndEndsWithoutHalfALine) {
  const TemporaryDirectory directory;
  const std::string pipe = directory.path() + "/pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::unique_ptr<StoppableInput> input;
  std::thread opener([&] { input = *StoppableInput::open(pipe); });
  std::ofstream writer(pipe);
  opener.join();
  LineSource source(input->stream(), kLongest);

  writer << "whole\nhal" << std::flush;
  EXPECT_EQ(source.next()->text, "whole");  // while the writer has the pipe open
  std::thread stopper([&] { input->stop(); });
  EXPECT_FALSE(source.next());
  stopper.join();
}

TEST(StoppableInput, AMissingFileIsNamed) {
  const auto input = StoppableInput::open("/nowhere/jobs");
  ASSERT_FALSE(input);
  EXPECT_NE(input.error().message.find("/nowhere/jobs"), std::string::npos);
}

}  // namespace
}  // namespace penstock
