// Completions and the manual page: that they name every command and option, and are well formed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <regex>
#include <set>

#include "cli/reference/completion.h"
#include "cli/reference/man_page.h"
#include "tests/cli/program_run.h"
#include "tests/cli/temporary_file.h"

namespace penstock {
namespace {

using testing::HasSubstr;

CommandDoc tree() {
  std::ostringstream out, err;
  Output output(out, err, {});
  Program program(output, {});
  add_commands(program);
  return document(program.root());
}

bool has_program(const std::string& name) {
  return std::system(("command -v " + name + " >/dev/null 2>&1").c_str()) == 0;
}

TEST(CommandTree, HasWhatHelpHas) {
  const CommandDoc root = tree();
  std::set<std::string> paths;
  for (const CommandDoc* command : all_commands(root)) paths.insert(command->path);
  for (const char* const path :
       {"penstock", "penstock jobs reschedule", "penstock top", "penstock accounts top",
        "penstock replay", "penstock replay start"})
    EXPECT_TRUE(paths.contains(path)) << path;
  for (const CommandDoc* command : all_commands(root)) {
    std::vector<std::string> words;
    std::istringstream path(command->path.substr(8));
    for (std::string word; path >> word;) words.push_back(word);
    words.push_back("--help");
    const std::string help = Stage().run(words).out;
    for (const OptionDoc& option : command->options) {
      for (const std::string& name : option.names)
        EXPECT_THAT(help, HasSubstr(name)) << command->path;
    }
    for (const CommandDoc& child : command->commands)
      EXPECT_THAT(help, HasSubstr(child.name())) << command->path;
  }
}

TEST(CommandTree, KnowsTheChoicesAndValuesOfOptions) {
  const CommandDoc root = tree();
  for (const CommandDoc* command : all_commands(root)) {
    if (command->path != "penstock jobs list") continue;
    for (const OptionDoc& option : command->options) {
      if (option.names == std::vector<std::string>{"--state"}) {
        EXPECT_EQ(option.choices.size(), 10u);
        EXPECT_EQ(option.value, "TEXT");
      }
      if (option.names == std::vector<std::string>{"--limit"}) {
        EXPECT_EQ(option.value, "INT");
      }
      if (option.names == std::vector<std::string>{"--watch"}) {
        EXPECT_EQ(option.takes, TakesValue::kIfGiven);
      }
      if (option.names == std::vector<std::string>{"--http"}) {
        EXPECT_EQ(option.env, "PENSTOCK_HTTP");
      }
    }
    return;
  }
  FAIL() << "there is no jobs list";
}

TEST(Completion, NamesEveryCommandAndOption) {
  const CommandDoc root = tree();
  const std::string bash = bash_completion(root), zsh = zsh_completion(root),
                    fish = fish_completion(root);
  for (const CommandDoc* command : all_commands(root)) {
    std::string path = command->path;
    std::replace(path.begin(), path.end(), ' ', '/');
    EXPECT_THAT(bash, HasSubstr("\n    " + path + ") words='"));
    EXPECT_THAT(zsh, HasSubstr("\n    " + path + ")\n"));
    const std::size_t at = bash.find("\n    " + path + ") words='");
    const std::string words = bash.substr(at, bash.find('\n', at + 1) - at) + " ";
    for (const OptionDoc& option : command->options) {
      for (const std::string& name : option.names) {
        EXPECT_TRUE(std::regex_search(words, std::regex("[' ]" + name + "[' ]"))) << path << name;
        EXPECT_THAT(zsh, HasSubstr("'" + name + ":")) << path;
        const std::string flag =
            name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
        EXPECT_THAT(fish, HasSubstr(flag + " ")) << path;
      }
    }
    for (const CommandDoc& child : command->commands)
      EXPECT_THAT(fish, HasSubstr("= " + path + "' -a " + child.name() + " -d "));
  }
}

// Each shell reads its script, where it is installed.
TEST(Completion, IsAcceptedByTheShells) {
  const CommandDoc root = tree();
  const TemporaryFile bash(bash_completion(root)), zsh(zsh_completion(root)),
      fish(fish_completion(root));
  ASSERT_TRUE(has_program("bash"));
  EXPECT_EQ(std::system(("bash -n " + bash.path()).c_str()), 0);
  if (has_program("zsh")) {
    EXPECT_EQ(std::system(("zsh -n " + zsh.path()).c_str()), 0);
  }
  if (has_program("fish")) {
    EXPECT_EQ(std::system(("fish -n " + fish.path()).c_str()), 0);
  }
}

// What bash offers for a command line, by its own machinery.
std::string offered(const std::string& script, const std::string& words) {
  const TemporaryFile completion(script);
  const TemporaryFile out("");
  const TemporaryFile run("source " + completion.path() + "\nCOMP_WORDS=(" + words +
                          ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_penstock\necho "
                          "\"${COMPREPLY[*]}\" >" +
                          out.path() + "\n");
  EXPECT_EQ(std::system(("bash " + run.path()).c_str()), 0);
  std::ifstream in(out.path());
  std::string line;
  std::getline(in, line);
  return line;
}

TEST(Completion, OffersWhatFitsInBash) {
  const std::string script = bash_completion(tree());
  EXPECT_EQ(offered(script, "penstock top"), "topics top");
  EXPECT_EQ(offered(script, "penstock jobs re"), "retry reschedule");
  EXPECT_EQ(offered(script, "penstock --config file jobs list --st"), "--state");
  EXPECT_EQ(offered(script, "penstock jobs list --queue jobs --state re"), "ready retrying");
  EXPECT_EQ(offered(script, "penstock jobs list --state = re"), "ready retrying");
  EXPECT_EQ(offered(script, "penstock jobs list --queue ''"), "");
  EXPECT_EQ(offered(script, "penstock completion z"), "zsh");
}

TEST(ManPage, NamesEveryCommandAndOption) {
  const CommandDoc root = tree();
  const std::string page = man_page(root, "penstock 0.1.0");
  const auto escaped = [](const std::string& text) {
    return std::regex_replace(text, std::regex("-"), "\\-");
  };
  for (const CommandDoc* command : all_commands(root)) {
    if (command != &root) {
      EXPECT_THAT(page, HasSubstr("\n.SS " + escaped(command->path.substr(9)) + "\n"));
    }
    for (const OptionDoc& option : command->options) {
      for (const std::string& name : option.names) EXPECT_THAT(page, HasSubstr(escaped(name)));
      if (option.env.empty()) continue;
      EXPECT_THAT(page, HasSubstr("\\fB" + option.env + "\\fR"));
    }
  }
}

// The part of roff that the page may use, line by line.
TEST(ManPage, IsPlainRoff) {
  const std::set<std::string> macros{"TH", "SH", "SS", "TP", "PP"};
  std::istringstream lines(man_page(tree(), "penstock 0.1.0"));
  std::string line, before;
  while (std::getline(lines, line)) {
    ASSERT_FALSE(line.empty());
    ASSERT_NE(line[0], '\'') << line;
    if (line[0] == '.') {
      ASSERT_TRUE(macros.contains(line.substr(1, 2))) << line;
      ASSERT_TRUE(line.size() == 3 || line[3] == ' ') << line;
    }
    for (std::size_t i = 0; i < line.size(); ++i) {
      ASSERT_TRUE(line[i] >= ' ' && line[i] <= '~') << line;
      ASSERT_NE(line[i], '-') << line;
      if (line[i] != '\\') continue;
      const std::string escape = line.substr(i + 1, 3);
      const bool known = escape.starts_with('-') || escape.starts_with('&') ||
                         escape.starts_with('e') || escape.starts_with("fB") ||
                         escape.starts_with("fI") || escape.starts_with("fR") || escape == "(aq" ||
                         escape == "(dq" || escape == "(ga" || escape == "(ti" || escape == "(ha";
      ASSERT_TRUE(known) << line;
      ++i;
    }
    // A tag must follow .TP, and a paragraph must not be empty.
    if (before == ".TP") {
      ASSERT_NE(line[0], '.') << line;
    }
    before = line;
  }
}

TEST(ManPage, RendersWithoutWarnings) {
  if (!has_program("groff")) return;  // IsPlainRoff has read the page
  const TemporaryFile page(man_page(tree(), "penstock 0.1.0")), complaints("");
  EXPECT_EQ(
      std::system(
          ("groff -man -Tascii -ww " + page.path() + " >/dev/null 2>" + complaints.path()).c_str()),
      0);
  std::ifstream in(complaints.path());
  std::string complaint;
  std::getline(in, complaint);
  EXPECT_EQ(complaint, "");
}

TEST(Reference, IsPrintedByItsCommands) {
  EXPECT_THAT(Stage().run({"completion", "bash"}).out, HasSubstr("complete -F _penstock penstock"));
  EXPECT_THAT(Stage().run({"man"}).out, testing::StartsWith(".TH PENSTOCK 1 "));
}

}  // namespace
}  // namespace penstock
