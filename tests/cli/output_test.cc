#include "cli/program/output.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/program/progress.h"
#include "cli/program/table.h"

namespace penstock {
namespace {

struct Screen {
  explicit Screen(Terminal terminal) : output(out, err, terminal) {}
  std::ostringstream out, err;
  Output output;
};

constexpr Terminal kPipe{};
constexpr Terminal kPlainTerminal{.out = true, .err = true, .colours = false};
constexpr Terminal kColourTerminal{.out = true, .err = true, .colours = true};

void fill(Output& output) {
  Table table(output, {"ID", "STATE"});
  table.add({{"job-7"}, {"dead", Colour::kRed}});
  table.add({{"é"}, {"ready"}});
}

TEST(Table, IsPlainLinesInAPipe) {
  Screen screen(kPipe);
  fill(screen.output);
  EXPECT_EQ(screen.out.str(), "job-7\tdead\né\tready\n");
}

TEST(Table, IsAlignedUnderAHeadingOnATerminal) {
  Screen screen(kPlainTerminal);
  fill(screen.output);
  EXPECT_EQ(screen.out.str(), "ID     STATE\njob-7  dead\né      ready\n");
}

TEST(Table, HasColoursOnlyWhereTheyAreWanted) {
  Screen screen(kColourTerminal);
  fill(screen.output);
  EXPECT_EQ(screen.out.str(),
            "\x1b[1mID\x1b[0m     \x1b[1mSTATE\x1b[0m\njob-7  \x1b[31mdead\x1b[0m\né      ready\n");
}

TEST(Table, ALineBelowARowIsIndentedAndWidensNoColumn) {
  Screen screen(kPlainTerminal);
  {
    Table table(screen.output, {"ID", "STATE"});
    table.add({{"job-7"}, {"dead"}}, "longer than\nthe columns");
    table.add({{"job-8"}, {"dead"}});
  }
  EXPECT_EQ(screen.out.str(),
            "ID     STATE\njob-7  dead\n  longer than\\nthe columns\njob-8  dead\n");
}

TEST(Table, HoldsABoundedNumberOfRows) {
  Screen screen(kPlainTerminal);
  Table table(screen.output, {"N"});
  for (std::size_t i = 0; i + 1 < Table::kMaxHeldRows; ++i) table.add({{"x"}});
  EXPECT_EQ(screen.out.str(), "");
  table.add({{"x"}});
  EXPECT_EQ(screen.out.str().size(), 2 * (Table::kMaxHeldRows + 1));
}

TEST(Output, ControlCharactersNeverReachTheTerminal) {
  EXPECT_EQ(printable("a\nb\tc\x1b[2J\x7f\r"), "a\\nb\\tc\\x1b[2J\\x7f\\x0d");
  EXPECT_EQ(printable("\xc2\x9b"
                      "2J é\xc2\xa0"),
            "\\x9b2J é\xc2\xa0");
}

TEST(Output, JsonIsOneLineWhateverItHolds) {
  Screen screen(kPipe);
  screen.output.json({{"id", "a\nb"}, {"bad", "\xff"}});
  EXPECT_EQ(screen.out.str(), "{\"id\":\"a\\nb\",\"bad\":\"\xef\xbf\xbd\"}\n");
}

TEST(Output, NoColorAndDumbTerminalsHaveNoColours) {
  setenv("TERM", "xterm", 1);
  unsetenv("NO_COLOR");
  EXPECT_TRUE(Terminal::of_process().colours);
  setenv("NO_COLOR", "", 1);
  EXPECT_TRUE(Terminal::of_process().colours);
  setenv("NO_COLOR", "1", 1);
  EXPECT_FALSE(Terminal::of_process().colours);
  unsetenv("NO_COLOR");
  setenv("TERM", "dumb", 1);
  EXPECT_FALSE(Terminal::of_process().colours);
}

TEST(Progress, IsDrawnOnATerminalOncePerPercent) {
  Screen screen(kPlainTerminal);
  {
    Progress progress(screen.output, "jobs", 1'000);
    progress.update(500);
    progress.update(501);
    progress.update(2'000);
  }
  const std::string half = "\r\x1b[K[" + std::string(20, '#') + std::string(20, '.') +
                           "] 50%  500 of "
                           "1000 jobs";
  const std::string full = "\r\x1b[K[" + std::string(40, '#') + "] 100%  2000 of 1000 jobs";
  EXPECT_EQ(screen.err.str(), half + full + "\r\x1b[K");
}

TEST(Progress, CountsWithoutATotal) {
  Screen screen(kPlainTerminal);
  Progress progress(screen.output, "jobs", std::nullopt);
  progress.update(1);
  progress.update(999);
  progress.update(1'000);
  EXPECT_EQ(screen.err.str(), "\r\x1b[K1 jobs\r\x1b[K1000 jobs");
}

TEST(Progress, IsNothingInAPipe) {
  Screen screen(kPipe);
  { Progress(screen.output, "jobs", 0).update(0); }
  EXPECT_EQ(screen.err.str(), "");
}

}  // namespace
}  // namespace penstock
