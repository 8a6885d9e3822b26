// The whole of a terminal, for as long as this exists: its other screen, keys as they are pressed,
// no cursor. The destructor gives it back as it was. Plain ANSI sequences, so it works over ssh and
// in tmux. Belongs to one thread.
#pragma once

#include <termios.h>

#include <memory>
#include <string>
#include <vector>

#include "cli/program/output.h"
#include "cli/top/top_screen.h"
#include "topics/values/result.h"

namespace penstock {

class TerminalScreen {
 public:
  // Fails if standard input or output is no terminal.
  [[nodiscard]] static Result<std::unique_ptr<TerminalScreen>> open(bool colours);
  ~TerminalScreen();
  TerminalScreen(const TerminalScreen&) = delete;
  TerminalScreen& operator=(const TerminalScreen&) = delete;

  void draw(const std::vector<ScreenLine>& lines) const;
  // What was typed; empty if nothing was.
  [[nodiscard]] std::string read() const;

 private:
  TerminalScreen(const termios& before, bool colours) : before_(before), colours_(colours) {}

  const termios before_;
  const bool colours_;
};

}  // namespace penstock
