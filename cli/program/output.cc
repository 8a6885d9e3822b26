#include "cli/program/output.h"

#include <unistd.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <ostream>

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

Output::Output(std::ostream& out, std::ostream& err, Terminal terminal)
    : out_(out), err_(err), terminal_(terminal) {}

void Output::line(std::string_view text) { out_ << text << '\n'; }

void Output::json(const nlohmann::ordered_json& object) {
  out_ << object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << '\n';
}

void Output::note(std::string_view text) { err_ << text << std::endl; }

void Output::error(std::string_view text) {
  const bool coloured = terminal_.err && terminal_.colours;
  err_ << (coloured ? in_colour("penstock:", Colour::kRed) : "penstock:") << ' ' << text
       << std::endl;
}

void Output::redraw(std::string_view text) { err_ << kClearLine << text << std::flush; }

std::string Output::painted(std::string_view text, std::optional<Colour> colour) const {
  const bool coloured = colour && terminal_.out && terminal_.colours;
  return coloured ? in_colour(text, *colour) : std::string(text);
}

bool Output::flush() { return static_cast<bool>(out_.flush()); }

}  // namespace penstock
