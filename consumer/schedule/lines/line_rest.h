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

#include <algorithm>
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
  // A row was left or found whose account is not in memory, of a job that could start since then.
  void left(Time since);
  // Since when a job that was left could start, at the earliest: a job that has come in meanwhile
  // counts until two rounds have ended. Nothing if none is left.
  [[nodiscard]] std::optional<Time> oldest() const {
    if (!any_) return std::nullopt;
    return again_ ? std::min(oldest_, oldest_next_) : oldest_;
  }
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
  // Of those that were left before this round began, and since.
  Time oldest_{}, oldest_next_{};
  std::string from_;  // where the round goes on; empty: at its start
};

}  // namespace penstock
