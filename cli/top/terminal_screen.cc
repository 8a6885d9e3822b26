#include "cli/top/terminal_screen.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>

namespace penstock {
namespace {

constexpr std::string_view kEnterScreen = "\x1b[?1049h\x1b[?25l\x1b[?7l",
                           kLeaveScreen = "\x1b[?7h\x1b[?25h\x1b[?1049l", kToBegin = "\x1b[H",
                           kClearToEnd = "\x1b[J", kClearLineRest = "\x1b[K",
                           kPlainText = "\x1b[0m";

void write_all(std::string_view text) {
  while (!text.empty()) {
    const ssize_t bytes = ::write(STDOUT_FILENO, text.data(), text.size());
    if (bytes < 0 && errno != EINTR) return;  // the terminal has gone
    if (bytes > 0) text.remove_prefix(static_cast<std::size_t>(bytes));
  }
}

std::string_view style_of(ScreenLine::Style style, bool colours) {
  switch (style) {
    case ScreenLine::Style::kTitle:
      return "\x1b[1m";
    case ScreenLine::Style::kHeading:
      return "\x1b[7m";
    case ScreenLine::Style::kDim:
      return "\x1b[2m";
    case ScreenLine::Style::kAlarm:
      return colours ? "\x1b[31m" : "\x1b[1m";
    case ScreenLine::Style::kPlain:
      break;
  }
  return "";
}

}  // namespace

Result<std::unique_ptr<TerminalScreen>> TerminalScreen::open(bool colours) {
  termios before{};
  if (isatty(STDOUT_FILENO) == 0 || tcgetattr(STDIN_FILENO, &before) != 0) {
    return failure(
        "top needs a terminal for its input and output; `penstock queues --watch` prints lines "
        "anywhere, and `ssh -t` gives a remote command a terminal");
  }
  termios raw = before;
  cfmakeraw(&raw);
  if (tcsetattr(STDIN_FILENO, TCSAFLUSH, &raw) != 0)
    return failure("the terminal cannot be set to pass on single keys");
  write_all(kEnterScreen);
  return std::unique_ptr<TerminalScreen>(new TerminalScreen(before, colours));
}

TerminalScreen::~TerminalScreen() {
  write_all(kLeaveScreen);
  tcsetattr(STDIN_FILENO, TCSAFLUSH, &before_);
}

void TerminalScreen::draw(const std::vector<ScreenLine>& lines) const {
  // In one write, so that no half of a screen is seen.
  std::string text(kToBegin);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string_view style = style_of(lines[i].style, colours_);
    if (i > 0) text += "\r\n";
    text += style;
    text += lines[i].text;
    if (!style.empty()) text += kPlainText;
    text += kClearLineRest;
  }
  text += kClearToEnd;
  write_all(text);
}

std::string TerminalScreen::read() const {
  pollfd ready{STDIN_FILENO, POLLIN, 0};
  if (::poll(&ready, 1, 0) <= 0) return {};
  std::array<char, 256> bytes{};
  const ssize_t size = ::read(STDIN_FILENO, bytes.data(), bytes.size());
  // A terminal that has been closed: as if the user had quit.
  if (size == 0 || (size < 0 && errno != EINTR && errno != EAGAIN)) return "q";
  return size < 0 ? std::string() : std::string(bytes.data(), static_cast<std::size_t>(size));
}

}  // namespace penstock
