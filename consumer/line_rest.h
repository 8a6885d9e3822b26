// The lines that are not in memory because as many accounts are there as may be (Lines::kMaxFlows):
// their jobs stay rows. Once there is room they are found again, a bounded number per step, round
// and round, so none of them is left for good.
//
// What always holds: while any() is true, a row may lie in a line that is not in memory; so a line
// that is made then has to look at its rows before it gives a job (Line::more). A line that is in
// memory knows of all its rows: what is left is left only while its account is not there.
//
// Used by the partition's one thread.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "consumer/lines.h"
#include "state/view.h"

namespace penstock {

class LineRest {
 public:
  static constexpr std::size_t kMaxLinesPerStep = 100;

  LineRest(View& view, Lines& lines) : view_(view), lines_(lines) {}

  [[nodiscard]] bool any() const { return any_; }
  // Whether bring() has something to do.
  [[nodiscard]] bool can_bring() const { return any_ && lines_.has_room(); }
  // A row was left, or found, whose account is not in memory.
  void left();
  // Makes the next lines, as long as there is room for their accounts.
  void bring(const std::function<void(Line&)>& found);

 private:
  [[nodiscard]] std::optional<std::string> next_row();

  View& view_;
  Lines& lines_;
  bool any_ = false;
  bool again_ = false;  // a row was left since this round began
  std::string from_;    // where the round goes on; empty: at its start
};

}  // namespace penstock
