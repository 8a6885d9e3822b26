// Where commands write: results to standard output (lines, or with --json one JSON object per
// line), notes and errors to standard error. Colours and tables are used only on a terminal. Used
// from one thread.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "topics/values/printable.h"

namespace penstock {

struct Terminal {
  bool out = false;      // standard output is a terminal
  bool err = false;      // standard error is a terminal
  bool colours = false;  // to be used on terminals; false with NO_COLOR (no-color.org) or TERM=dumb

  [[nodiscard]] static Terminal of_process();
};

struct TerminalSize {
  int columns = 80;
  int rows = 24;

  // Of standard output; the usual size if that is no terminal.
  [[nodiscard]] static TerminalSize of_process();
};

enum class Colour : std::uint8_t { kBold, kDim, kRed, kGreen, kYellow };

class Output {
 public:
  Output(std::ostream& out, std::ostream& err, Terminal terminal);
  ~Output();

  void use_json() { json_ = true; }
  [[nodiscard]] bool is_json() const { return json_; }
  [[nodiscard]] const Terminal& terminal() const { return terminal_; }

  void line(std::string_view text);                 // a result
  void json(const nlohmann::ordered_json& object);  // a result with --json
  void note(std::string_view text);                 // to standard error, for people
  void error(std::string_view text);                // "penstock: text" to standard error
  void redraw(std::string_view text);               // replaces the current line of standard error

  // The text in the colour, if standard output uses colours.
  [[nodiscard]] std::string painted(std::string_view text, std::optional<Colour> colour) const;
  // Until end_frame(), results and notes are collected; then they take the place of what the terminal
  // of standard output showed, as far as they fit.
  void begin_frame();
  void end_frame(TerminalSize size);

  // False if standard output did not accept everything (a full disk, a closed pipe).
  [[nodiscard]] bool flush();

 private:
  [[nodiscard]] std::ostream& results();

  std::ostream& out_;
  std::ostream& err_;
  Terminal terminal_;
  bool json_ = false;
  std::unique_ptr<std::ostringstream> frame_;  // there while one is collected
};

}  // namespace penstock
