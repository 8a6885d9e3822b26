// Which of several starts of one replay counts. Kafka has no "put if absent": operators who start
// replays of one name at the same moment all find none and all put their records. The first of these
// records in the control topic counts, which everybody who reads it finds in the same way.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "consumer/control/control.h"
#include "topics/log.h"
#include "topics/values/result.h"

namespace penstock {

// A value that belongs to one thread; pure.
class ReplayStarts {
 public:
  // A record of the replay, in the order of the log; empty: it was deleted.
  void look_at(std::optional<std::string_view> value);

  // The replay that counts, as last changed; empty: there is none.
  [[nodiscard]] const std::optional<ReplayRecord>& first() const { return first_; }
  // Whether the newest record is of another start, so that this is what readers find.
  [[nodiscard]] bool is_overwritten() const { return overwritten_; }

 private:
  std::optional<ReplayRecord> first_;
  bool overwritten_ = false;
};

// Whether the records are of one start, though they may differ in state.
[[nodiscard]] bool is_same_start(const ReplayRecord& a, const ReplayRecord& b);

// The end of the control topic. Blocks.
[[nodiscard]] Result<Offset> control_end(Log& log, const std::string& prefix);
// What the control topic says of the replay from `from` on, where there was no such replay. Blocks.
[[nodiscard]] Result<ReplayStarts> read_starts(Log& log, const std::string& prefix,
                                               const ReplayTarget& target, Offset from);

}  // namespace penstock
