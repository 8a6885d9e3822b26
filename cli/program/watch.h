// --watch [SECONDS]: a command that lists something does so again and again until Ctrl-C. On a
// terminal, each list takes the place of the one before; otherwise, a line with the time separates
// them, except with --json. A first list that fails ends the command; later ones are tried again.
// Used from one thread.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

#include "cli/program/program.h"

namespace penstock {

class Watch {
 public:
  void add_option(CLI::App& app);

  // Calls `list` once or, with --watch, repeatedly.
  [[nodiscard]] Exit run(Program& program, const std::function<Exit()>& list) const;

 private:
  CLI::Option* option_ = nullptr;
  std::string seconds_;
};

}  // namespace penstock
