#include "cli/program/output.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <ostream>
#include <sstream>
#include <utility>

namespace penstock {
namespace {

constexpr std::string_view kReset = "\x1b[0m";
constexpr std::string_view kClearLine = "\r\x1b[K";

std::string_view escape_of(Colour colour) {
  switch (colour) {
    case Colour::kBold:
      return "\x1b[1m";
    case Colour::kDim:
      return "\x1b[2m";
    case Colour::kRed:
      return "\x1b[31m";
    case Colour::kGreen:
      return "\x1b[32m";
    case Colour::kYellow:
      return "\x1b[33m";
  }
  return "";
}

std::string in_colour(std::string_view text, Colour colour) {
  return std::string(escape_of(colour)) + std::string(text) + std::string(kReset);
}

bool has_value(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

}  // namespace

Terminal Terminal::of_process() {
  const char* term = std::getenv("TERM");
  const bool dumb = term != nullptr && std::string_view(term) == "dumb";
  return {.out = isatty(STDOUT_FILENO) == 1,
          .err = isatty(STDERR_FILENO) == 1,
          .colours = !has_value("NO_COLOR") && !dumb};
}

TerminalSize TerminalSize::of_process() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) {
    return {};
  }
  return {size.ws_col, size.ws_row};
}

Output::Output(std::ostream& out, std::ostream& err, Terminal terminal)
    : out_(out), err_(err), terminal_(terminal) {}

Output::~Output() = default;

std::ostream& Output::results() { return frame_ ? *frame_ : out_; }

void Output::line(std::string_view text) { results() << text << '\n'; }

void Output::json(const nlohmann::ordered_json& object) {
  results() << object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace)
            << '\n';
}

void Output::note(std::string_view text) {
  // While a frame is drawn, a line beside it would tear it.
  (frame_ ? static_cast<std::ostream&>(*frame_) : err_) << text << std::endl;
}

void Output::error(std::string_view text) {
  const bool coloured = terminal_.err && terminal_.colours;
  (frame_ ? static_cast<std::ostream&>(*frame_) : err_)
      << (coloured ? in_colour("penstock:", Colour::kRed) : "penstock:") << ' ' << text
      << std::endl;
}

void Output::redraw(std::string_view text) { err_ << kClearLine << text << std::flush; }

std::string Output::painted(std::string_view text, std::optional<Colour> colour) const {
  const bool coloured = colour && terminal_.out && terminal_.colours;
  return coloured ? in_colour(text, *colour) : std::string(text);
}

void Output::begin_frame() { frame_ = std::make_unique<std::ostringstream>(); }

void Output::end_frame(TerminalSize size) {
  // Without wrapping, so that each line takes one row.
  constexpr std::string_view kBegin = "\x1b[?7l\x1b[H", kRestOfLine = "\x1b[K\r\n",
                             kEnd = "\x1b[J\x1b[?7h";
  const std::string text = std::exchange(frame_, nullptr)->str();
  out_ << kBegin;
  std::size_t at = 0;
  for (int row = 1; row < size.rows && at < text.size(); ++row) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    out_ << std::string_view(text).substr(at, end - at) << kRestOfLine;
    at = end + 1;
  }
  out_ << kEnd << std::flush;
}

bool Output::flush() { return static_cast<bool>(out_.flush()); }

}  // namespace penstock
