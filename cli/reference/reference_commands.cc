#include "cli/reference/reference_commands.h"

#include <memory>

#include "cli/reference/completion.h"
#include "cli/reference/man_page.h"

namespace penstock {
namespace {

void print_lines(Output& output, std::string text) {
  if (text.ends_with('\n')) text.pop_back();
  output.line(text);
}

struct CompletionCommand : Command {
  std::string shell;

  Exit run(Program& program) override {
    const CommandDoc tree = document(program.root());
    print_lines(program.output(), shell == "bash"  ? bash_completion(tree)
                                  : shell == "zsh" ? zsh_completion(tree)
                                                   : fish_completion(tree));
    return Exit::kDone;
  }
};

struct ManCommand : Command {
  Exit run(Program& program) override {
    print_lines(program.output(), man_page(document(program.root()), program.root().version()));
    return Exit::kDone;
  }
};

}  // namespace

void add_completion_command(Program& program) {
  auto command = std::make_unique<CompletionCommand>();
  CompletionCommand& added = *command;
  CLI::App& app = program.add_command(
      program.root(), "completion", "Print a script that completes commands and options in a shell",
      std::move(command));
  app.add_option("SHELL", added.shell, "The shell")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
}

void add_man_command(Program& program) {
  program.add_command(program.root(), "man", "Print the manual page, for `man -l -`",
                      std::make_unique<ManCommand>());
}

}  // namespace penstock
