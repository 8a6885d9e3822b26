// What a receiving partition remembers of one source of messages: which of its numbers it has
// taken.
//
// A sender numbers its messages to this partition without gaps, and says with each how far all of
// them were acknowledged when it was emitted: `oldest` is the first that was not. As long as
// nothing is missing, the receiver takes only the number behind the last one, so order is kept and
// a repeated or overtaking message changes nothing: the sender emits again from its oldest one.
//
// Why a number below `oldest` never needs to be waited for: the sender removes a message only after
// it and all before it were acknowledged by one producer, at growing offsets. This message was
// emitted after that, so those lie before it in this partition's log. A receiver that reads the log
// without a gap has therefore taken them. If it has not, they were removed before it came to them,
// and will not be sent again: it goes on behind them, and tells how many it has missed.
//
// Behind a gap in the log, that is not enough: of a burst 6..12, all emitted with oldest = 6, the
// gap may have swallowed 6..9. So from the gap on the line is *open*: a number that lies further on
// is taken too, and the numbers before it are kept as holes. A hole that comes after all (it had
// failed, and was sent again) is taken; one that falls below `oldest` was missed. The line closes
// with a message that leaves nothing out, when everything up to the last one that did has been
// acknowledged: the first behind the gap may be a replaced owner's, and what its successor has had
// acknowledged since may lie in the gap, with higher numbers. (So if a replaced owner's message
// closes it before the successor's first one comes, those behind are waited for until `oldest`.)
//
//   row := last:u64 at:i64 open_to:u64 (first:u64 last:u64)*        the pairs are the holes
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "topics/values/types.h"

namespace penstock {

class SourceMark {
 public:
  // Beyond so many holes the lowest is given up, as if its messages had been removed.
  static constexpr std::size_t kMaxHoles = 64;

  struct Numbers {
    std::uint64_t first = 0, last = 0;
  };
  struct Answer {
    bool taken = false;
    bool changed = false;         // the row is to be written
    std::vector<Numbers> missed;  // in order: messages that will not come any more
  };

  [[nodiscard]] static SourceMark decode(std::string_view row);
  [[nodiscard]] std::string encode() const;

  // The message `seq`, read at the offset `at`. `gap`: below this offset the receiver has left out
  // records that were removed before it came to them.
  [[nodiscard]] Answer take(std::uint64_t seq, std::uint64_t oldest, Offset at, Offset gap);

  [[nodiscard]] std::uint64_t last() const { return last_; }

 private:
  void give_up_below(std::uint64_t oldest, Answer& answer);
  [[nodiscard]] bool fill(std::uint64_t seq);
  void leave_out(std::uint64_t first, std::uint64_t last, Answer& answer);

  std::uint64_t last_ = 0;     // the highest number that was taken or given up
  Offset at_{-1};              // where the last message that was taken lay
  std::uint64_t open_to_ = 0;  // open until all up to this one are acknowledged; 0: closed
  std::vector<Numbers> holes_;
};

}  // namespace penstock
