// Reports of one partition's handlers for which the next commit has no room, in order. Nothing of
// the partition overtakes them except progress. Bounded like the mailbox.
//
// Belongs to the loop's thread; pure.
#pragma once

#include <deque>
#include <map>
#include <optional>

#include "consumer/job/handler.h"

namespace penstock {

class DeferredReports {
 public:
  // Whether a report that arrives now has to queue up behind others.
  [[nodiscard]] bool has_queue() const { return !reports_.empty(); }
  [[nodiscard]] bool empty() const { return reports_.empty() && progress_.empty(); }
  void add(HandlerMessage message);
  void clear();

  // The next one, or nothing. Progress comes before the other reports, because they can contain the
  // attempt's end.
  [[nodiscard]] std::optional<HandlerMessage> take_progress();
  [[nodiscard]] std::optional<HandlerMessage> take_report();

 private:
  std::deque<HandlerMessage> reports_;
  std::map<Token, ProgressMade> progress_;  // the newest of each attempt
};

}  // namespace penstock
