// The lines that are not in memory because as many accounts are there as may be (Lines::kMaxFlows):
// their jobs stay rows. Once there is room they are found again, a bounded number per step and
// round after round, so none of them is left for good.
//
// What always holds: while any() is true, an account that is not in memory may have rows in lines.
// When it comes into memory, it comes with all of its lines: the job whose turn it is may be one of
// another type.
//
// Used by the partition's one thread.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "consumer/schedule/lines/lines.h"
#include "state/store/view.h"

namespace penstock {

class LineRest {
 public:
  // Each with all of its lines.
  static constexpr std::size_t kMaxAccountsPerStep = 100;

  LineRest(View& view, Lines& lines) : view_(view), lines_(lines) {}

  [[nodiscard]] bool any() const { return any_; }
  // Whether bring() has something to do.
  [[nodiscard]] bool can_bring() const { return any_ && lines_.has_room(); }
  // A row was left or found whose account is not in memory.
  void left();
  // Brings the next accounts into memory, as long as there is room for them.
  void bring(const std::function<void(Line&)>& found);
  // Brings an account and its lines with rows into memory, before anything else makes it.
  void bring(std::string_view account, const std::function<void(Line&)>& found);

 private:
  [[nodiscard]] std::optional<std::string> next_row();

  View& view_;
  Lines& lines_;
  bool any_ = false;
  bool again_ = false;  // a row was left since this round began
  std::string from_;    // where the round goes on; empty: at its start
};

}  // namespace penstock
