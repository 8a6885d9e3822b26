// Finds the lines that have rows after a take-over, in steps: one forward scan that skips all rows
// of a line but the first, so the work grows with the number of lines, not of jobs. Jobs are loaded
// when their turn comes.
//
// What always holds: each line is found once, as long as accounts have room in memory; nothing else
// makes or forgets lines until the rebuild has ended. Belongs to the partition's one thread.
#pragma once

#include <absl/container/btree_set.h>

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "consumer/schedule/lines/lines.h"
#include "state/store/view.h"

namespace penstock {

class LineRebuild {
 public:
  using Found = std::function<void(Line&)>;

  LineRebuild(View& view, Lines& lines) : view_(view), lines_(lines) {}

  // Visits at most `max_lines` and returns whether there is more to do. Calls `found` for each
  // line: as it is found or, for lines that belong to shares, when all have been found, in the
  // order in which their first jobs came.
  [[nodiscard]] bool step(std::size_t max_lines, const Found& found);
  // Whether lines were left as rows, because as many accounts are in memory as may be.
  [[nodiscard]] bool left_some() const { return left_some_; }

 private:
  void find_some(std::size_t max_lines, const Found& found);
  void add(std::string_view key, std::string_view value, const Found& found);

  View& view_;
  Lines& lines_;
  std::string from_;  // where the scan goes on; empty: at the first line
  bool found_all_ = false, left_some_ = false;
  absl::btree_set<std::pair<JobSeq, Line*>> shared_;  // found, but `found` has not been called yet
};

}  // namespace penstock
