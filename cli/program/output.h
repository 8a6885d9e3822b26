// Where commands write: results to standard output (lines, or one JSON object a line with --json),
// notes and errors to standard error. Colours and tables only on a terminal. For one thread.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "topics/values/printable.h"

namespace penstock {

struct Terminal {
  bool out = false;      // standard output is one
  bool err = false;      // standard error is one
  bool colours = false;  // to be used on either; never with NO_COLOR (no-color.org) or TERM=dumb

  [[nodiscard]] static Terminal of_process();
};

enum class Colour : std::uint8_t { kBold, kDim, kRed, kGreen, kYellow };

class Output {
 public:
  Output(std::ostream& out, std::ostream& err, Terminal terminal);

  void use_json() { json_ = true; }
  [[nodiscard]] bool is_json() const { return json_; }
  [[nodiscard]] const Terminal& terminal() const { return terminal_; }

  void line(std::string_view text);                 // a result
  void json(const nlohmann::ordered_json& object);  // a result with --json
  void note(std::string_view text);                 // to standard error, for people
  void error(std::string_view text);                // "penstock: text" to standard error
  void redraw(std::string_view text);               // the line at the cursor of standard error

  // In the colour where standard output has any.
  [[nodiscard]] std::string painted(std::string_view text, std::optional<Colour> colour) const;
  // False when standard output did not take everything (a full disk, a closed pipe).
  [[nodiscard]] bool flush();

 private:
  std::ostream& out_;
  std::ostream& err_;
  Terminal terminal_;
  bool json_ = false;
};

}  // namespace penstock
